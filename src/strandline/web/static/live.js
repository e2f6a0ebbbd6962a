// Live progress: numbers, jobs and the latest captures, as the server tells them. Texts are set as text, never as HTML.
"use strict";

const live = document.getElementById("live");
const latest = document.getElementById("latest");
let before = null;
let leaving = false;

// Nobody is interrupted while typing, and a form that was sent shows its own answer.
document.addEventListener("submit", () => { leaving = true; });
function renew() {
  if (!leaving && !document.activeElement?.matches("input")) window.location.reload();
}

function captured(one) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `/web/${one.timestamp}/${one.url}`;
  const name = document.createElement("bdi");
  name.textContent = one.url;
  link.append(name);
  link.className = "url";
  const time = document.createElement("time");
  time.dateTime = one.time;
  time.textContent = one.time.slice(11, 19);
  item.append(time, link);
  return item;
}

function show(told) {
  for (const name of ["captures", "pages", "changes", "waiting"]) {
    const place = live.querySelector(`[data-count="${name}"]`);
    if (place) place.textContent = told[name].toLocaleString("en");
  }
  for (const job of told.jobs) {
    const item = document.querySelector(`[data-job="${job.number}"]`);
    // Buttons follow the state, and the server knows which.
    if (!item || item.dataset.state !== job.state) return renew();
    const words = item.querySelector("[data-job-counts]");
    words.textContent = words.dataset.jobCounts.replace("{captured}", job.captured.toLocaleString("en")).replace("{unchanged}", job.unchanged.toLocaleString("en"));
  }
  if (told.captures && "empty" in live.dataset) return renew();
  // Also of a crawl that was started elsewhere: it shows in the numbers.
  before ??= told.captures;
  const running = told.jobs.some((job) => ["running", "pausing", "stopping"].includes(job.state));
  if (running || told.captures > before || latest.childElementCount) {
    latest.replaceChildren(...told.latest.map(captured));
  }
}

const source = new EventSource(live.dataset.live);
source.addEventListener("progress", (event) => show(JSON.parse(event.data)));
window.addEventListener("pagehide", () => source.close());
