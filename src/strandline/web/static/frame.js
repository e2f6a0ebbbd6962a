// The bar around a replayed page. When the frame has gone elsewhere in the archive, the whole page follows, so that the
// bar always names what the server put into the frame. A message is a wish to go somewhere, never a fact to show.
"use strict";

const frame = document.getElementById("replay");
const { url, captured, time } = frame.dataset;

window.addEventListener("message", (event) => {
  if (event.source !== frame.contentWindow || !event.data || event.data.strandline !== "at") return;
  const next = event.data;
  if (typeof next.url !== "string" || !/^https?:\/\//.test(next.url) || !/^[0-9]{14}$/.test(next.time)) return;
  if ((next.url === url || next.url === captured) && next.time === time) return;
  window.location.replace(`/web/${next.time}/${next.url}`);
});

const words = (count, one, many) => `${count} ${count === 1 ? one : many}`;
const NAMES = { coherent: "Coherent", mostly: "Mostly coherent", patchwork: "Patchwork", alone: "No parts" };

function spanned(seconds) {
  if (seconds < 90) return words(Math.round(seconds), "second", "seconds");
  if (seconds < 5400) return words(Math.round(seconds / 60), "minute", "minutes");
  if (seconds < 172800) return words(Math.round(seconds / 3600), "hour", "hours");
  return words(Math.round(seconds / 86400), "day", "days");
}

async function tellParts() {
  const query = new URLSearchParams({ url, time });
  const answer = await fetch(`/api/v1/parts?${query}`);
  if (!answer.ok) return;
  const { missing, anachronistic, parts, span, verdict, known, first, last } = await answer.json();
  const badge = document.getElementById("parts");
  const told = [NAMES[verdict]];
  if (parts.length) told.push(`${known} of ${words(parts.length, "part", "parts")} known, captured within ${spanned((Date.parse(last) - Date.parse(first)) / 1000)}`);
  if (anachronistic) told.push(`${words(anachronistic, "part is", "parts are")} more than ${Math.round(span / 3600)} hours from the page`);
  if (missing) told.push(`${words(missing, "part", "parts")} never captured`);
  badge.textContent = told.join(" · ");
  badge.classList.add(verdict);
}

tellParts();
