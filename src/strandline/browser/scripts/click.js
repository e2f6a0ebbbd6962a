// Clicks the first thing that is seen and that a rule means; says which rule, or nothing.
((rules) => {
  const seen = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 4 && box.height > 4 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };
  const roots = [document];
  for (const element of document.querySelectorAll("*")) if (element.shadowRoot && roots.length < 50) roots.push(element.shadowRoot);
  const find = (selector) => {
    for (const root of roots) {
      try {
        for (const element of root.querySelectorAll(selector)) if (seen(element)) return element;
      } catch { /* not a selector here */ }
    }
    return null;
  };
  for (const { name, click } of rules.selectors || []) {
    const element = find(click);
    if (element) { element.click(); return name; }
  }
  const words = (rules.words || []).map((word) => new RegExp(`^${word}$`, "i"));
  const inside = rules.within || "";
  for (const root of roots) {
    for (const element of root.querySelectorAll('button, [role="button"], a, input[type="button"], input[type="submit"]')) {
      const text = (element.innerText || element.value || "").replace(/\s+/g, " ").trim();
      if (!text || text.length > 60 || !words.some((word) => word.test(text)) || !seen(element)) continue;
      if (inside && !element.closest(inside)) continue;
      const href = element.localName === "a" ? element.getAttribute("href") || "" : "";
      if (href && !href.startsWith("#") && !href.startsWith("javascript:")) continue;  // a link leads away
      element.click();
      return text;
    }
  }
  return "";
})
