// Whatever is wrong with a page, in words: run inside of it.
() => {
  const flaws = [];
  const tell = (what, element) => flaws.push(`${what}: ${element.outerHTML.slice(0, 120)}`);
  const seen = (element) => element.checkVisibility() && !element.closest("[aria-hidden=true]");
  const text = (element) => [...element.childNodes].map((node) =>
    node.nodeType === 3 ? node.textContent
      : node.nodeType === 1 && node.getAttribute("aria-hidden") !== "true" ? text(node) + (node.alt ?? "") : "").join("");
  const named = (element) => (element.getAttribute("aria-label")
    || (element.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("")
    || text(element)).trim();
  for (const each of document.querySelectorAll("input, select, textarea")) {
    if (seen(each) && !each.labels?.length && !each.getAttribute("aria-label")) tell("no label", each);
  }
  for (const each of document.querySelectorAll("button, a[href], [role=button], [role=tab], summary")) {
    if (seen(each) && !named(each)) tell("no name", each);
  }
  for (const each of document.querySelectorAll("img")) if (!each.hasAttribute("alt")) tell("no alt", each);
  for (const each of document.querySelectorAll("svg")) {
    if (!each.closest("[aria-hidden=true]") && !each.closest("svg [role], svg g") && !each.getAttribute("aria-label")) tell("no name", each);
  }
  let level = 0;
  for (const each of document.querySelectorAll("h1, h2, h3, h4")) {
    if (!seen(each)) continue;
    const next = Number(each.tagName[1]);
    if (next > level + 1) tell(`h${level} is followed by`, each);
    level = next;
  }
  if (document.querySelectorAll("h1").length !== 1) flaws.push("there must be one h1");
  for (const place of ["header", "nav", "main", "footer"]) {
    if (document.querySelectorAll(place).length !== 1) flaws.push(`there must be one ${place}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  for (const id of new Set(ids)) if (ids.filter((each) => each === id).length > 1) flaws.push(`two of id ${id}`);
  for (const each of document.querySelectorAll("[aria-labelledby], [aria-describedby], [aria-controls]")) {
    for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
      for (const id of (each.getAttribute(name) || "").split(" ").filter(Boolean)) {
        if (!document.getElementById(id)) tell(`${name} leads nowhere`, each);
      }
    }
  }
  for (const each of document.querySelectorAll("[tabindex]")) if (each.tabIndex > 0) tell("jumps the queue", each);
  for (const each of document.querySelectorAll("button, .button, select, [role=tab]")) {
    const box = each.getBoundingClientRect();
    if (seen(each) && box.width && (box.height < 24 || box.width < 24)) tell("too small to touch", each);
  }
  return flaws;
}
