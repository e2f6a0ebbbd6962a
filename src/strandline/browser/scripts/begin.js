// Runs in every document before its own scripts: what would open connections of its own is not there, and shadow trees
// can be read.
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
})();
