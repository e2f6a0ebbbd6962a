// The client side of replay: runs first in every archived page and sends what its script asks for into the archive.
//
// Addresses in markup are rewritten by the server. What script makes up at run time is rewritten here: fetch,
// XMLHttpRequest, element attributes, written markup, styles, workers, history. Things the archive cannot offer are
// answered the way a browser without a network would (WebSocket), or refused (service workers). Storage and cookies,
// which a sandboxed page does not have, are kept in memory so that pages that use them go on working.
//
// This is about fidelity. That nothing leaves the archive is the business of the policy sent with every answer.
(() => {
  "use strict";
  const here = document.currentScript;
  if (!here || window.__replay_ready) return;
  const { root = "", time = "", url: pageUrl = "about:blank", key = pageUrl } = here.dataset;
  const client = here.outerHTML;
  here.remove();

  const ORIGIN = new URL(document.baseURI.startsWith("http") ? document.baseURI : here.src).origin;
  const WEB = `${root}/web/`;
  const INSIDE = /^(?:[0-9]{4,17})?((?:[a-z]{2}_)?)\/?(https?:\/.*)$/s;
  const nativeLocation = window.location;

  // -- addresses ----------------------------------------------------------------------------------------------------

  /** The original address behind one of the archive, or the address itself. */
  function toOriginal(address) {
    const text = String(address);
    const start = text.startsWith(ORIGIN + WEB) ? ORIGIN.length + WEB.length : text.startsWith(WEB) ? WEB.length : -1;
    const match = start < 0 ? null : INSIDE.exec(text.slice(start));
    return match ? match[2].replace(/^(https?):\/+/, "$1://") : text;
  }

  const modOf = (address) => (INSIDE.exec(String(address).replace(ORIGIN, "").slice(WEB.length)) || [])[1] || "mp_";
  const ownMod = nativeLocation.protocol === "about:" ? "if_" : modOf(nativeLocation.href);
  const outermost = ownMod !== "if_";

  /** Where script said the page is (`history.pushState`), in a page that cannot change its address. */
  let pretended = "";

  const realBase = Object.getOwnPropertyDescriptor(Node.prototype, "baseURI").get;
  const originalOf = (base) => (pretended && base === nativeLocation.href ? pretended : toOriginal(base));
  function originalBase() {
    if (pretended && !document.querySelector("base[href]")) return pretended;
    const base = toOriginal(realBase.call(document));
    return base.startsWith(ORIGIN) || !base.startsWith("http") ? pageUrl : base;
  }

  /** Any address a script may use, inside the archive; other schemes and what is already inside stay as they are. */
  function toArchive(value, mod, base) {
    if (value === null || value === undefined) return value;
    const text = String(value).trim();
    if (!text || text.startsWith("#") || text.startsWith(WEB)) return value;
    let target;
    try {
      target = new URL(text, base || originalBase());
    } catch {
      return value;
    }
    if (target.protocol !== "http:" && target.protocol !== "https:") return value;
    if (target.origin === ORIGIN) {
      if (target.pathname.startsWith(WEB) || target.pathname.startsWith(`${root}/_/`)) return target.href;
      target = new URL(target.pathname + target.search + target.hash, originalBase());
    }
    return `${ORIGIN}${WEB}${time}${mod}/${target.href}`;
  }

  // -- tools --------------------------------------------------------------------------------------------------------

  function define(object, name, descriptor) {
    try {
      Object.defineProperty(object, name, { configurable: true, enumerable: true, ...descriptor });
    } catch {
      /* not configurable in this browser: the policy still holds */
    }
  }

  function patch(object, name, make) {
    const before = object && object[name];
    if (typeof before === "function") define(object, name, { value: make(before), writable: true });
  }

  function patchProperty(prototype, name, { read, write }) {
    const before = prototype && Object.getOwnPropertyDescriptor(prototype, name);
    if (!before || !before.get) return;
    define(prototype, name, {
      get() {
        const value = before.get.call(this);
        return read ? read.call(this, value) : value;
      },
      set(value) {
        if (before.set) before.set.call(this, write ? write.call(this, value) : value);
      },
    });
  }

  // -- requests -----------------------------------------------------------------------------------------------------

  // What is sent with a request (method, body) goes to the archive as it is: it looks the answer up by both.
  const NativeRequest = window.Request;
  /** A sandboxed page has no origin of its own, and script is not the bytes it was: what insists on either is let go. */
  function allowed(init) {
    if (!init || typeof init !== "object") return init;
    const { mode, integrity, cache, ...rest } = init;
    if (mode !== undefined && mode !== "same-origin" && mode !== "navigate") rest.mode = mode;
    if (cache !== undefined && cache !== "only-if-cached") rest.cache = cache;
    return rest;
  }
  const inside = (request) => new NativeRequest(toArchive(request.url, "im_"), request.mode === "same-origin" ? new NativeRequest(request, { mode: "cors" }) : request);
  patch(window, "fetch", (before) => function fetch(input, init) {
    return before.call(window, input instanceof NativeRequest ? inside(input) : toArchive(input, "im_"), allowed(init));
  });
  window.Request = new Proxy(NativeRequest, {
    construct: (target, [input, init]) =>
      new target(input instanceof NativeRequest ? input : toArchive(input, "im_"), allowed(init)),
  });
  patchProperty(NativeRequest.prototype, "url", { read: (value) => toOriginal(value) });
  patchProperty(Response.prototype, "url", { read: (value) => toOriginal(value) });
  patch(XMLHttpRequest.prototype, "open", (before) => function open(method, url, ...rest) {
    return before.call(this, method, toArchive(url, "im_"), ...(rest.length ? rest : [true]));
  });
  patchProperty(XMLHttpRequest.prototype, "responseURL", { read: (value) => toOriginal(value) });
  patch(Navigator.prototype, "sendBeacon", () => () => true);
  if (window.EventSource) {
    window.EventSource = new Proxy(window.EventSource, {
      construct(target, [url, init]) {
        const source = new target(toArchive(url, "im_"), init);
        source.addEventListener("error", () => source.close()); // what was captured is over: it is not told again
        return source;
      },
    });
  }

  // The clock of a page stands at its capture: what it asks for by date is what was captured then.
  const NativeDate = window.Date;
  const [, ...digits] = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})/.exec(time) || [];
  const behind = digits.length ? NativeDate.now() - NativeDate.UTC(digits[0], digits[1] - 1, ...digits.slice(2)) : 0;
  function shifted(native, by) {
    const now = native.now;
    const made = new Proxy(native, {
      construct: (target, words, kind) => Reflect.construct(target, words.length ? words : [now() - by], kind),
      apply: (target) => new target(now() - by).toString(),
    });
    native.now = () => now() - by;
    native.prototype.constructor = made;
    return made;
  }
  if (behind) define(window, "Date", { value: shifted(NativeDate, behind), writable: true, enumerable: false });

  /** A socket whose server is not there. */
  class ClosedSocket extends EventTarget {
    constructor(url) {
      super();
      Object.assign(this, { url: String(url), readyState: 0, bufferedAmount: 0, protocol: "", extensions: "" });
      setTimeout(() => {
        this.readyState = 3;
        for (const event of [new Event("error"), new CloseEvent("close", { code: 1006 })]) {
          this.dispatchEvent(event);
          if (typeof this[`on${event.type}`] === "function") this[`on${event.type}`](event);
        }
      });
    }
    send() {}
    close() {}
  }
  Object.assign(ClosedSocket, { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 });
  Object.assign(ClosedSocket.prototype, { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3, binaryType: "blob" });
  define(window, "WebSocket", { value: ClosedSocket, writable: true });
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "WebSocketStream"]) {
    define(window, name, { value: undefined, writable: true });
  }

  /** Workers of a sandboxed page have to come from a blob; it loads the archived script after a prelude of ours. */
  function workerPrelude(toArchiveText, config) {
    const rewrite = (value, mod, base) => toArchiveText(value, mod, base ? { ...config, base } : config);
    const allowed = ({ mode, integrity, ...rest }) => (mode && mode !== "same-origin" ? { mode, ...rest } : rest);
    const fetchBefore = self.fetch, NativeRequest = self.Request;
    self.fetch = (input, init) => fetchBefore(
      input instanceof NativeRequest ? new NativeRequest(rewrite(input.url, "im_"), input) : rewrite(input, "im_"), init && allowed(init));
    self.Request = new Proxy(NativeRequest, {
      construct: (target, [input, init]) => new target(input instanceof NativeRequest ? input : rewrite(input, "im_"), init && allowed(init)),
    });
    const openBefore = XMLHttpRequest.prototype.open;
    XMLHttpRequest.prototype.open = function open(method, url, ...rest) {
      return openBefore.call(this, method, rewrite(url, "im_"), ...(rest.length ? rest : [true]));
    };
    const importBefore = self.importScripts;
    self.importScripts = (...urls) => importBefore(...urls.map((url) => rewrite(url, "js_")));
    if (self.EventSource) {
      self.EventSource = new Proxy(self.EventSource, { construct: (target, [url, init]) => new target(rewrite(url, "im_"), init) });
    }
    for (const name of ["WebSocket", "WebSocketStream", "WebTransport", "Worker"]) self[name] = undefined;
    self.__replay_location = new URL(config.base);
    self.__replay_import = (base, name) => import(/^(?:\.{0,2}\/|https?:)/.test(String(name)) ? rewrite(name, "js_", base) : name);
  }
  /** Script of a module worker comes later than the first messages to it: they wait. */
  function workerModule(address) {
    const waiting = [];
    const hold = (event) => { waiting.push(event); event.stopImmediatePropagation(); };
    self.addEventListener("message", hold);
    import(address).finally(() => {
      self.removeEventListener("message", hold);
      for (const { data, ports } of waiting) self.dispatchEvent(new MessageEvent("message", { data, ports: [...ports] }));
    });
  }
  function workerAddress(value, mod, { origin, web, stamp, base }) {
    try {
      const target = new URL(String(value), base);
      if (!/^https?:$/.test(target.protocol) || target.href.startsWith(origin + web)) return value;
      return `${origin}${web}${stamp}${mod}/${target.href}`;
    } catch {
      return value;
    }
  }
  const blobs = new Map(); // what the page made addresses of: a worker may be told to run it
  const addressOf = URL.createObjectURL;
  patch(URL, "createObjectURL", (before) => function create(object) {
    const address = before.call(URL, object);
    if (object instanceof Blob) blobs.set(address, object);
    return address;
  });
  patch(URL, "revokeObjectURL", (before) => function revoke(address) {
    blobs.delete(String(address));
    return before.call(URL, address);
  });
  for (const name of ["Worker", "SharedWorker"]) {
    if (!window[name]) continue;
    window[name] = new Proxy(window[name], {
      construct(target, [script, options]) {
        const address = toArchive(script, "js_");
        const made = blobs.get(String(script));
        if (!made && !String(address).startsWith(ORIGIN + WEB)) return new target(script, options);
        const config = { origin: ORIGIN, web: WEB, stamp: time, base: made ? originalBase() : toOriginal(address) };
        const module = options && options.type === "module"; // a sandboxed page has none: a plain worker imports it
        const load = module ? `(${workerModule})(${JSON.stringify(address)})` : `importScripts(${JSON.stringify(address)})`;
        const clock = behind ? `self.Date = (${shifted})(self.Date, ${behind});\n` : "";
        const text = `${clock}${workerAddress}\n${workerPrelude}\nworkerPrelude(workerAddress, ${JSON.stringify(config)});\n`;
        return new target(addressOf.call(URL, new Blob([text, (!module && made) || load], { type: "text/javascript" })), typeof options === "string" ? options : { ...options, type: "classic" });
      },
    });
  }
  const refused = () => Promise.reject(new DOMException("Service workers are not part of an archived page", "SecurityError"));
  define(Navigator.prototype, "serviceWorker", {
    get: () => Object.assign(new EventTarget(), {
      controller: null, ready: new Promise(() => {}), register: refused, startMessages() {},
      getRegistration: () => Promise.resolve(undefined), getRegistrations: () => Promise.resolve([]),
    }),
  });

  // -- where the page believes to be --------------------------------------------------------------------------------

  const whereabouts = () => new URL(pretended || toOriginal(nativeLocation.href).replace(/^about:.*/, pageUrl).replace(/[?&]__wb_method=[^#]*/, ""));
  const setHash = (value) => {
    nativeLocation.hash = value;
    if (pretended) pretended = pretended.replace(/#.*/s, "") + nativeLocation.hash;
  };
  const go = (value, how) => {
    const target = toArchive(value, ownMod);
    if (String(target).trim().toLowerCase().startsWith("javascript:")) return;
    const [there, part] = toOriginal(target).split(/#(.*)/s);
    if (part !== undefined && there === whereabouts().href.split("#")[0]) setHash(part);
    else nativeLocation[how](target);
  };
  const pageLocation = {
    assign: (value) => go(value, "assign"),
    replace: (value) => go(value, "replace"),
    reload: () => nativeLocation.reload(),
    toString: () => whereabouts().href,
    get origin() { return whereabouts().origin; },
    get ancestorOrigins() { return []; },
  };
  for (const name of ["href", "protocol", "host", "hostname", "port", "pathname", "search", "hash"]) {
    define(pageLocation, name, {
      get: () => whereabouts()[name],
      set(value) {
        if (name === "hash") { setHash(value); return; }
        const target = whereabouts();
        if (name === "href") go(value, "assign");
        else { target[name] = value; go(target.href, "assign"); }
      },
    });
  }
  const locationProperty = { get: () => pageLocation, set: (value) => go(value, "assign"), enumerable: false };
  define(window, "__replay_location", locationProperty);
  define(Document.prototype, "__replay_location", locationProperty);
  define(window, "__replay_top", { get: () => (outermost ? window : window.parent), enumerable: false });
  define(window, "__replay_parent", { get: () => (outermost ? window : window.parent), enumerable: false });
  define(window, "__replay_import", {
    enumerable: false,
    value: (base, name) => import(/^(?:\.{0,2}\/|https?:)/.test(String(name)) ? toArchive(name, "js_", base) : name),
  });
  define(Document.prototype, "URL", { get: () => whereabouts().href });
  define(Document.prototype, "documentURI", { get: () => whereabouts().href });
  define(Document.prototype, "referrer", { get: () => "" });
  define(Document.prototype, "domain", { get: () => whereabouts().hostname, set() {} });
  define(window, "origin", { get: () => whereabouts().origin });
  patchProperty(Node.prototype, "baseURI", { read: (value) => (value === null ? value : originalOf(value)) });
  // A sandboxed page keeps its address; script is told that it changed, also when it goes back: the address it believes
  // to have is kept beside its own state.
  const believed = Object.getOwnPropertyDescriptor(History.prototype, "state").get;
  const AT = "__replay_at";
  const own = (state) => (state && typeof state === "object" && AT in state ? state.state : state);
  const nativeReplace = History.prototype.replaceState;
  const note = (state) => nativeReplace.call(window.history, { [AT]: whereabouts().href, state }, "");
  note(own(believed.call(window.history)));
  for (const name of ["pushState", "replaceState"]) {
    patch(History.prototype, name, (before) => function change(state, title, url) {
      const target = url === undefined || url === null ? whereabouts() : new URL(String(url), originalBase());
      if (target.origin !== whereabouts().origin) throw new DOMException(`${target.href} is of another origin`, "SecurityError");
      before.call(this, { [AT]: target.href, state }, title);
      pretended = target.href;
    });
  }
  define(History.prototype, "state", { get() { return own(believed.call(this)); } });
  patchProperty(PopStateEvent.prototype, "state", { read: own });
  window.addEventListener("popstate", () => {
    const state = believed.call(window.history);
    if (state && typeof state === "object" && AT in state) pretended = state[AT];
    else {
      if (pretended) pretended = pretended.replace(/#.*/s, "") + nativeLocation.hash;
      note(state); // another part of the page was gone to
    }
  }, true);
  patch(window, "open", (before) => function open(url, name) {
    return name === "_self" ? before.call(window, toArchive(url, ownMod), "_self") : null;
  });
  patch(window, "postMessage", (before) => function postMessage(data, target, transfer) {
    return typeof target === "string" ? before.call(window, data, "*", transfer) : before.call(window, data, target);
  });

  // -- storage in memory --------------------------------------------------------------------------------------------

  function memoryStorage() {
    const held = new Map();
    const methods = {
      getItem: (key) => (held.has(String(key)) ? held.get(String(key)) : null),
      setItem: (key, value) => void held.set(String(key), String(value)),
      removeItem: (key) => void held.delete(String(key)),
      clear: () => held.clear(),
      key: (index) => [...held.keys()][index] ?? null,
    };
    return new Proxy(methods, {
      get: (_, name) => (name === "length" ? held.size : name in methods ? methods[name] : held.get(String(name))),
      set: (_, name, value) => (held.set(String(name), String(value)), true),
      deleteProperty: (_, name) => (held.delete(String(name)), true),
      has: (_, name) => name in methods || held.has(String(name)),
      ownKeys: () => [...held.keys()],
      getOwnPropertyDescriptor: (_, name) =>
        held.has(name) ? { value: held.get(name), writable: true, enumerable: true, configurable: true } : undefined,
    });
  }
  for (const name of ["localStorage", "sessionStorage"]) {
    const storage = memoryStorage();
    define(window, name, { get: () => storage });
  }
  const cookies = new Map();
  define(Document.prototype, "cookie", {
    get: () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    set(text) {
      const [pair, ...rest] = String(text).split(";");
      const [name, ...value] = pair.split("=");
      const gone = rest.some((part) => /^\s*max-age\s*=\s*(?:0|-)/i.test(part) || /^\s*expires\s*=.*\b19[0-9]{2}\b/i.test(part));
      if (gone) cookies.delete(name.trim());
      else cookies.set(name.trim(), value.join("=").trim());
    },
  });

  // -- elements -----------------------------------------------------------------------------------------------------

  const MODS = {
    IMG: { src: "im_" }, SCRIPT: { src: "js_" }, IFRAME: { src: "if_" }, FRAME: { src: "if_" }, EMBED: { src: "if_" },
    LINK: { href: "cs_" }, A: { href: "mp_" }, AREA: { href: "mp_" }, BASE: { href: "mp_" }, FORM: { action: "mp_" },
    INPUT: { src: "im_", formaction: "mp_" }, BUTTON: { formaction: "mp_" }, OBJECT: { data: "if_" },
    VIDEO: { src: "im_", poster: "im_" }, AUDIO: { src: "im_" }, SOURCE: { src: "im_" }, TRACK: { src: "im_" },
    IMAGE: { href: "im_", "xlink:href": "im_" }, USE: { href: "im_", "xlink:href": "im_" }, BODY: { background: "im_" },
  };
  const URL_IN_CSS = /url\(\s*(["']?)(.*?)\1\s*\)/gi;
  const css = (text) => String(text).replace(URL_IN_CSS, (whole, quote, url) =>
    url ? `url(${quote}${toArchive(url, "im_")}${quote})` : whole);
  const srcset = (text) => String(text).replace(/([^\s,][^\s]*[^\s,])((?:\s+[0-9.]+[wx])?\s*(?:,|$))/g,
    (_, url, rest) => toArchive(url, "im_") + rest);
  const refresh = (text) => String(text).replace(/^(\s*[0-9.]*\s*[;,]?\s*(?:url\s*=\s*)?["']?)([^"']+)/i,
    (_, start, url) => (url.trim() ? start + toArchive(url, "mp_") : start + url));

  /** The value an attribute gets instead; undefined leaves it. */
  function attribute(element, name, value) {
    const tag = element.tagName.toUpperCase();
    const lower = String(name).toLowerCase();
    const mod = MODS[tag] && MODS[tag][lower];
    if (mod) return toArchive(value, mod);
    if (lower === "srcset" || lower === "imagesrcset") return srcset(value);
    if (lower === "style") return css(value);
    if (lower === "srcdoc") return inner(value);
    if (lower === "ping" || lower === "integrity") return "";
    if (tag === "META" && lower === "content" && /^refresh$/i.test(element.httpEquiv || "refresh") && /url|^\s*[0-9]+\s*;/i.test(value)) return refresh(value);
    if (lower === "target" && /^_(?:blank|top|parent)$/i.test(value)) return "_self";
    return undefined;
  }

  const setAttribute = Element.prototype.setAttribute;
  patch(Element.prototype, "setAttribute", (before) => function set(name, value) {
    const changed = attribute(this, name, value);
    return before.call(this, name, changed === undefined ? value : changed);
  });
  patch(Element.prototype, "setAttributeNS", (before) => function set(space, name, value) {
    const changed = attribute(this, name, value);
    return before.call(this, space, name, changed === undefined ? value : changed);
  });
  patch(Element.prototype, "getAttribute", (before) => function get(name) {
    const value = before.call(this, name);
    return typeof value === "string" && value.includes(WEB) ? toOriginal(value) : value;
  });
  const attributeNode = {
    write(value) {
      const changed = this instanceof Attr && this.ownerElement ? attribute(this.ownerElement, this.name, value) : undefined;
      return changed === undefined ? value : changed;
    },
  };
  patchProperty(Attr.prototype, "value", attributeNode);
  patchProperty(Node.prototype, "nodeValue", attributeNode);
  patchProperty(Node.prototype, "textContent", {
    write(value) {
      return this instanceof HTMLStyleElement && typeof value === "string" ? css(value) : attributeNode.write.call(this, value);
    },
  });
  for (const name of ["setAttributeNode", "setAttributeNodeNS"]) {
    patch(Element.prototype, name, (before) => function set(node) {
      const changed = attribute(this, node.name, node.value);
      if (changed !== undefined) node.value = changed;
      return before.call(this, node);
    });
  }
  const PROPERTIES = [
    ["HTMLImageElement", "src", "im_"], ["HTMLScriptElement", "src", "js_"], ["HTMLIFrameElement", "src", "if_"],
    ["HTMLFrameElement", "src", "if_"], ["HTMLEmbedElement", "src", "if_"], ["HTMLObjectElement", "data", "if_"],
    ["HTMLLinkElement", "href", "cs_"], ["HTMLAnchorElement", "href", "mp_"], ["HTMLAreaElement", "href", "mp_"],
    ["HTMLBaseElement", "href", "mp_"], ["HTMLFormElement", "action", "mp_"], ["HTMLInputElement", "src", "im_"],
    ["HTMLInputElement", "formAction", "mp_"], ["HTMLButtonElement", "formAction", "mp_"],
    ["HTMLMediaElement", "src", "im_"], ["HTMLVideoElement", "poster", "im_"], ["HTMLSourceElement", "src", "im_"],
    ["HTMLTrackElement", "src", "im_"],
  ];
  for (const [kind, name, mod] of PROPERTIES) {
    patchProperty(window[kind] && window[kind].prototype, name, {
      read: (value) => (typeof value === "string" ? toOriginal(value) : value),
      write: (value) => toArchive(value, mod),
    });
  }
  for (const kind of ["HTMLImageElement", "HTMLSourceElement"]) {
    patchProperty(window[kind].prototype, "srcset", { write: srcset });
  }
  patchProperty(HTMLImageElement.prototype, "currentSrc", { read: (value) => toOriginal(value) });
  patchProperty(HTMLIFrameElement.prototype, "srcdoc", { write: (value) => inner(value) });
  patchProperty(HTMLMetaElement.prototype, "content", { write(value) { return attribute(this, "content", value) ?? value; } });
  for (const kind of ["HTMLAnchorElement", "HTMLAreaElement"]) {
    for (const name of ["protocol", "host", "hostname", "port", "pathname", "search", "hash", "origin"]) {
      patchProperty(window[kind].prototype, name, {
        read(value) {
          try { return new URL(this.href)[name]; } catch { return value; }
        },
      });
    }
  }
  window.Audio = new Proxy(window.Audio, { construct: (target, [src]) => (src === undefined ? new target() : new target(toArchive(src, "im_"))) });

  patch(CSSStyleDeclaration.prototype, "setProperty", (before) => function set(name, value, ...rest) {
    return before.call(this, name, typeof value === "string" ? css(value) : value, ...rest);
  });
  for (const name of ["cssText", "background", "backgroundImage", "listStyle", "listStyleImage", "cursor", "borderImage", "borderImageSource", "content", "mask", "maskImage", "filter"]) {
    patchProperty(CSSStyleDeclaration.prototype, name, { write: css });
  }
  patch(CSSStyleSheet.prototype, "insertRule", (before) => function insert(rule, index) { return before.call(this, css(rule), index); });
  patch(CSSStyleSheet.prototype, "replaceSync", (before) => function replace(text) { return before.call(this, css(text)); });

  // -- written markup -----------------------------------------------------------------------------------------------

  const START_TAG = /<([a-z][^\s/>]*)((?:\s+|\/|[^\s"'>=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)(?=>)/gi;
  const ATTRIBUTE = /([^\s"'>=/]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g;
  const plain = (text) => text.replace(/&amp;/g, "&").replace(/&quot;/g, '"').replace(/&#0?39;/g, "'").replace(/&#x27;/gi, "'");

  /** Markup that script hands to the parser, with its addresses inside the archive. */
  function markup(text) {
    return String(text).replace(START_TAG, (whole, tag, attributes) => {
      const values = {};
      attributes.replace(ATTRIBUTE, (_, name, __, value) => void (values[name.toLowerCase()] ??= value.replace(/^["']|["']$/g, "")));
      const element = { tagName: tag, httpEquiv: values["http-equiv"] };
      const written = attributes.replace(ATTRIBUTE, (all, name, equals, value) => {
        if (tag.toLowerCase() === "meta" && name.toLowerCase() === "content" && !/^refresh$/i.test(values["http-equiv"] || "")) return all;
        const changed = attribute(element, name, plain(value.replace(/^["']|["']$/g, "")));
        return changed === undefined ? all : `${name}${equals}"${changed.replace(/&/g, "&amp;").replace(/"/g, "&quot;")}"`;
      });
      return `<${tag}${written}`;
    });
  }
  /** A document written inside this one: it runs our script first, like any other. */
  function inner(text) {
    const [start] = /^(?:\s*<!doctype[^>]*>)?/i.exec(String(text));
    const rest = String(text).slice(start.length);
    return start + client + markup(rest.startsWith(client) ? rest.slice(client.length) : rest);
  }
  patchProperty(Element.prototype, "innerHTML", { write(value) { return this.tagName === "STYLE" ? css(value) : markup(value ?? ""); } });
  patchProperty(Element.prototype, "outerHTML", { write: (value) => markup(value ?? "") });
  patchProperty(ShadowRoot.prototype, "innerHTML", { write: (value) => markup(value ?? "") });
  patch(Element.prototype, "insertAdjacentHTML", (before) => function insert(where, text) { return before.call(this, where, markup(text)); });
  patch(Range.prototype, "createContextualFragment", (before) => function create(text) { return before.call(this, markup(text)); });
  patch(DOMParser.prototype, "parseFromString", (before) => function parse(text, type) {
    return before.call(this, type === "text/html" ? markup(text) : text, type);
  });
  patch(Element.prototype, "setHTMLUnsafe", (before) => function set(text, options) { return before.call(this, markup(text), options); });
  patch(ShadowRoot.prototype, "setHTMLUnsafe", (before) => function set(text, options) { return before.call(this, markup(text), options); });
  patch(Document, "parseHTMLUnsafe", (before) => (text, options) => before.call(Document, markup(text), options));
  for (const name of ["write", "writeln"]) {
    patch(Document.prototype, name, (before) => function write(...texts) { return before.call(this, markup(texts.join(""))); });
  }

  // -- drawings out of a file of many -------------------------------------------------------------------------------

  /** Browsers use parts of another file in a drawing only from the page's own origin, and a sandboxed page has none: the
   * file is brought into the page, once, its names changed so that they meet none of the page's. */
  const drawings = new Map();
  const href = (use) => (use.getAttributeNode("href") || use.getAttributeNode("xlink:href") || {}).nodeValue || "";
  async function broughtIn(file, prefix) {
    const text = await (await window.fetch(file)).text();
    const drawing = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
    for (const node of [...drawing.querySelectorAll("*")].flatMap((element) => [...element.attributes])) {
      if (node.name === "id") node.value = prefix + node.value;
      else if (/(?:^|url\(["']?)#/.test(node.value)) node.value = node.value.replace(/(^|url\(["']?)#/g, `$1#${prefix}`);
    }
    const hidden = { width: "0", height: "0", style: "position:absolute", "aria-hidden": "true" };
    for (const [name, value] of Object.entries(hidden)) setAttribute.call(drawing, name, value);
    (document.body || document.documentElement).append(drawing);
  }
  function useHere(use) {
    const [file, part] = href(use).split("#");
    if (!part || (!file.startsWith(ORIGIN + WEB) && !file.startsWith(WEB))) return;
    const prefix = `replay-${drawings.has(file) ? drawings.get(file).number : drawings.size}-`;
    if (!drawings.has(file)) drawings.set(file, { number: drawings.size, ready: broughtIn(file, prefix).catch(() => {}) });
    drawings.get(file).ready.then(() => {
      use.removeAttribute("xlink:href");
      setAttribute.call(use, "href", `#${prefix}${part}`);
    });
  }
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (target.localName === "use") useHere(target);
      for (const node of addedNodes) {
        if (node.localName === "use") useHere(node);
        else if (node.firstElementChild) node.querySelectorAll("use").forEach(useHere);
      }
    }
  }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["href", "xlink:href"] });

  // -- what still points outside when it is used --------------------------------------------------------------------

  function bringInside(element, name) {
    const node = element && element.getAttributeNode && element.getAttributeNode(name);
    const target = node ? toArchive(node.nodeValue, ownMod) : undefined;
    if (node && target !== node.nodeValue) setAttribute.call(element, name, target);
  }
  document.addEventListener("click", (event) => {
    bringInside(event.target instanceof Element ? event.target.closest("a[href], area[href]") : null, "href");
  }, true);
  document.addEventListener("submit", (event) => bringInside(event.target, "action"), true);

  define(window, "__replay_ready", { value: true, enumerable: false });
  if (outermost && window.parent !== window) {
    // The interface follows: it opens what the frame now shows under its own bar. It trusts nothing else of this.
    window.parent.postMessage({ strandline: "at", url: key, time }, "*");
  }
})();
