// Small helps for all pages. Everything can be read without it.
"use strict";

// What was said once is not said again by a reload or a bookmark.
const here = new URL(window.location);
if (here.searchParams.has("notice")) {
  here.searchParams.delete("notice");
  window.history.replaceState(null, "", here);
}

// A part of a page that could not be fetched says so.
document.addEventListener("htmx:error", (event) => {
  const part = event.target.closest?.(".later");
  if (part) part.querySelector("p").textContent = part.dataset.failed;
});
