// The document as it stands: shadow trees and frames of the same origin in place, addresses absolute, without scripts
// and styles; what has no box says so with `hidden`. And the text of what is not hidden, a line for each block.
(() => {
  const LARGEST = 16e6, DEEPEST = 1500;
  const EMPTY = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
  const LEFT_OUT = new Set(["noscript", "template", "style"]);
  const ADDRESSES = new Set(["href", "src", "poster", "action", "data", "cite", "background"]);
  const SETS = new Set(["srcset", "imagesrcset"]);
  const DATA = /^application\/ld\+json$/i;
  const pieces = [], lines = [];
  let size = 0, line = "", cut = false;
  const add = (text) => { size += text.length; pieces.push(text); };
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const quoted = (text) => escaped(text).replace(/"/g, "&quot;");
  const endLine = () => { const said = line.replace(/\s+/g, " ").trim(); if (said) lines.push(said); line = ""; };
  const absolute = (value, base) => {
    if (/^\s*(javascript|data|blob|about):/i.test(value)) return value.length < 2000 ? value : "";
    try { return new URL(value, base).href; } catch { return value; }
  };
  const set = (value, base) => value.split(/,\s+|,(?=https?:)/).map((part) => {
    const words = part.trim().split(/\s+/);
    return [absolute(words[0], base), ...words.slice(1)].join(" ");
  }).join(", ");

  function attributes(element, name, base) {
    let text = "";
    for (const { name: key, value } of element.attributes) {
      if (/^on/i.test(key) || key === "nonce" || key === "integrity" || !/^[\w:.@-]+$/.test(key)) continue;
      const written = SETS.has(key) ? set(value, base) : ADDRESSES.has(key) ? absolute(value, base) : value;
      text += ` ${key}="${quoted(written)}"`;
    }
    return text;
  }

  function each(nodes, hidden, depth, base) { for (const node of nodes) walk(node, hidden, depth, base); }

  function walk(node, hidden, depth, base) {
    if (size > LARGEST || depth > DEEPEST) { cut = true; return; }
    if (node.nodeType === 3) {
      add(escaped(node.data));
      if (!hidden) line += node.data;
      return;
    }
    if (node.nodeType !== 1) return;
    const name = node.localName;
    if (name === "script") {
      if (DATA.test(node.type || "")) add(`<script type="${quoted(node.type)}">${node.textContent.replace(/<\//g, "<\\/")}</script>`);
      return;
    }
    if (LEFT_OUT.has(name)) return;
    if (name === "slot" && node.getRootNode() instanceof ShadowRoot) {
      const given = node.assignedNodes({ flatten: true });
      each(given.length ? given : node.childNodes, hidden, depth + 1, base);
      return;
    }
    const style = getComputedStyle(node), display = style.display;
    const inHead = name === "head" || (node.parentElement && node.parentElement.localName === "head");
    const vanished = display === "none" && !inHead && name !== "option" && name !== "area" && name !== "source";
    const block = !display.startsWith("inline") && display !== "contents" && display !== "none";
    const unseen = hidden || vanished || inHead || style.visibility === "hidden";
    if (block || name === "br") endLine();
    add(`<${name}${attributes(node, name, base)}${vanished && !hidden && !node.hidden ? ' hidden=""' : ""}>`);
    if (EMPTY.has(name)) return;
    if (name === "iframe" || name === "frame") {
      add(`</${name}>`);
      frame(node, unseen, depth + 1);
      return;
    }
    each(node.shadowRoot ? node.shadowRoot.childNodes : node.childNodes, unseen, depth + 1, base);
    add(`</${name}>`);
    if (block) endLine();
  }

  function frame(node, hidden, depth) {
    let inner = null;
    try { inner = node.contentDocument; } catch { /* of another origin */ }
    if (!inner || !inner.body) return;
    endLine();
    add("<section>");
    each(inner.body.childNodes, hidden, depth, inner.baseURI);
    add("</section>");
    endLine();
  }

  const root = document.documentElement;
  add("<!DOCTYPE html>\n");
  if (root) walk(root, false, 0, document.baseURI);
  endLine();
  return { html: pieces.join(""), text: lines.join("\n").slice(0, 4e6), title: document.title.slice(0, 1000), url: location.href, cut };
})()
