// Small helps for all pages. Everything can be read without it.
"use strict";

// Parts of a page that could not be fetched say so, with a link to the part itself.
document.addEventListener("htmx:error", (event) => {
  const part = event.target.closest?.(".later");
  if (part) part.querySelector("p").textContent = "…";
});
