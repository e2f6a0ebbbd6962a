// Goes down the page as a reader would. "down" begins, for some steps, where anything waits for that; "look" says how it
// goes; "top" goes back up. Says whether it goes on, the steps so far, and how many images waited to be seen ("lazy").
// Nothing is awaited: the timers of a page may stand still, behind a window it opened for one.
((how, most, pause, looked_at) => {
  const state = globalThis.strandline || (globalThis.strandline = { veil: null, going: false, steps: 0 });
  const told = (lazy) => ({ going: state.going, steps: state.steps, lazy });
  if (how === "look") return told(0);
  const frames = [];
  const enter = (frame) => {
    frames.push(frame);
    if (!frame || frames.length > 50) return;
    for (const { contentWindow, contentDocument } of frame.document.querySelectorAll("iframe, frame")) {
      enter(contentDocument && contentWindow);  // null: of another origin
    }
  };
  enter(window);
  let lazy = 0;
  for (const frame of frames) {
    if (!frame) continue;
    for (const part of frame.document.querySelectorAll('img[loading="lazy"], iframe[loading="lazy"]')) {
      part.loading = "eager";
      lazy++;
    }
  }
  const asks = (frame) => !frame || frame.document.querySelector("[onscroll], [onwheel]")
    || !frame.document.dispatchEvent(new Event("strandline-waits-for-scrolling", { cancelable: true }));
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
  // While nobody looks, nothing is painted: where things are is all that scripts see. It is most of what scrolling costs.
  if (how === "top") {
    state.going = false;
    moved.scrollTop = 0;
    if (state.veil && looked_at) {
      document.adoptedStyleSheets = [...document.adoptedStyleSheets].filter((sheet) => sheet !== state.veil);
      state.veil = null;
    }
    return told(lazy);
  }
  state.steps = 0;
  const view = moved === page ? innerHeight : moved.clientHeight;
  const ended = () => moved.scrollTop + view >= moved.scrollHeight - 2;
  if (ended() || !frames.some(asks)) return told(lazy);
  if (!state.veil) {
    state.veil = new CSSStyleSheet();
    state.veil.replaceSync(":root { opacity: 0 !important }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, state.veil];
  }
  const wait = (milliseconds) => new Promise((go) => setTimeout(go, milliseconds));
  const drawn = () => Promise.race([wait(1000), new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))]);
  state.going = true;
  (async () => {
    while (state.going && state.steps < most) {
      moved.scrollTop += Math.max(100, view * 0.95);
      state.steps++;
      await drawn();
      await wait(pause);
      if (ended()) break;
    }
    state.going = false;
  })();
  return told(lazy);
})
