// Runs in every document before its own scripts: what would open connections of its own is not there, shadow trees can
// be read, and whether the page waits for a reader to scroll is told to who asks (scroll.js, from its own world).
(() => {
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"]) {
    try { delete globalThis[name]; } catch { /* not there */ }
  }
  const attach = globalThis.Element && Element.prototype.attachShadow;
  if (attach) {
    Element.prototype.attachShadow = function attachShadow(options) {
      return attach.call(this, { ...options, mode: "open" });
    };
  }
  const target = globalThis.EventTarget && EventTarget.prototype, listen = target && target.addEventListener;
  if (!listen || !globalThis.document) return;
  const moves = new Set(["scroll", "scrollend", "wheel", "mousewheel", "touchmove"]);
  let waits = false;
  target.addEventListener = function addEventListener(type, ...more) {
    if (moves.has(type)) waits = true;
    return listen.call(this, type, ...more);
  };
  if (globalThis.IntersectionObserver) {
    globalThis.IntersectionObserver = class IntersectionObserver extends globalThis.IntersectionObserver {
      constructor(...given) { super(...given); waits = true; }
    };
  }
  listen.call(document, "strandline-waits-for-scrolling", (asked) => {
    const own = globalThis.onscroll || document.onscroll || globalThis.onwheel || document.onwheel;
    if (waits || own) asked.preventDefault();
  });
})();
