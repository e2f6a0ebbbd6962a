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

async function tellParts() {
  const query = new URLSearchParams({ url, time });
  const answer = await fetch(`/api/v1/parts?${query}`);
  if (!answer.ok) return;
  const { verdict, told } = await answer.json();
  const badge = document.getElementById("parts");
  badge.textContent = told;
  badge.classList.add(verdict);
}

tellParts();
