// Small helps for all pages. Everything can be read without it.
"use strict";

// A part of a page that could not be fetched says so.
document.addEventListener("htmx:error", (event) => {
  const part = event.target.closest?.(".later");
  if (part) part.querySelector("p").textContent = part.dataset.failed;
});
