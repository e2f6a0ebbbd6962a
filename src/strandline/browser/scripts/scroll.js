// One step down the page, as a reader would: says whether the end is reached, and how high the page is now.
((step) => {
  for (const image of document.querySelectorAll('img[loading="lazy"], iframe[loading="lazy"]')) image.loading = "eager";
  const page = document.scrollingElement || document.documentElement;
  let moved = page;
  if (page.scrollHeight <= innerHeight + 1) {
    // Many applications scroll a part of the page: the largest one that can be.
    let best = 0;
    for (const part of document.querySelectorAll("main, div, section, ul, ol, article")) {
      const room = part.scrollHeight - part.clientHeight;
      if (room > 50 && part.clientHeight > innerHeight / 2 && part.clientWidth * part.clientHeight > best) {
        const overflow = getComputedStyle(part).overflowY;
        if (overflow === "auto" || overflow === "scroll") { best = part.clientWidth * part.clientHeight; moved = part; }
      }
    }
  }
  if (step === "top") { moved.scrollTop = 0; return { end: true, height: moved.scrollHeight }; }
  const view = moved === page ? innerHeight : moved.clientHeight;
  moved.scrollTop += Math.max(100, view * 0.8);
  return { end: moved.scrollTop + view >= moved.scrollHeight - 2, height: moved.scrollHeight };
})
