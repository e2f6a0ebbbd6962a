// Where on the page which text stands: the elements that hold text of their own, from the upper left corner of the page.
(() => {
  const MOST = 4000, LONGEST = 300, found = [];
  const walker = document.createTreeWalker(document.body || document.documentElement, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.currentNode; node && found.length < MOST; node = walker.nextNode()) {
    if (/^(script|style|noscript|template)$/i.test(node.localName)) continue;
    if (![...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim())) continue;
    if (getComputedStyle(node).display.startsWith("inline") && node.parentElement && node.parentElement.innerText && [...node.parentElement.childNodes].some((one) => one.nodeType === 3 && one.data.trim())) continue;
    const box = node.getBoundingClientRect();
    const text = (node.innerText || "").replace(/\s+/g, " ").trim().slice(0, LONGEST);
    if (text && box.width > 1 && box.height > 1) {
      found.push([Math.round(box.x + scrollX), Math.round(box.y + scrollY), Math.round(box.width), Math.round(box.height), text]);
    }
  }
  return found;
})()
