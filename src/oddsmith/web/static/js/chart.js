// Answers as pictures: bars with bounds, a distribution with its quantiles; each has its numbers as a table.
import { h, s } from "./dom.js";
import { amount, bounds, count, decimals, method, percent, player, quantile } from "./words.js";

/** How a number was found, as a small label. */
export function chip(name) {
  const [word, means] = method(name);
  return h("span", { class: `chip ${name}`, title: means }, word);
}

/** The rows of a table of odds: who wins, and the draw. */
export function rowsOf(odds) {
  const rows = (odds.win ?? []).map((answer, at) => ({ name: odds.win.length === 1 ? "Won" : player(at + 1), ink: `p${(at % 8) + 1}`, answer }));
  if (odds.draw && odds.draw.value > 0) rows.push({ name: rows.length === 1 ? "Lost" : "Draw", ink: "draw", answer: odds.draw });
  return rows.filter((row) => row.answer && row.answer.value !== null);
}

const NEVER = { value: 0, lower: 0, upper: 0 };

/** Chances as a table of bars; `before` holds the rows to compare with: what has no row there or here never happens. */
export function oddsTable(rows, { before = null, caption = "Who wins how often" } = {}) {
  const width = (value) => `${Math.min(100, 100 * value).toFixed(2)}%`; // the whole track is certainty
  const gone = (before ?? []).filter((row) => !rows.some((other) => other.name === row.name)).map((row) => ({ ...row, answer: NEVER }));
  return h("table", { class: "odds" }, h("caption", { class: "unseen" }, caption),
    h("thead", { class: "unseen" }, h("tr", null, ["Who", "Bar", "Chance", before && "Change"].filter(Boolean).map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", null, [...rows, ...gone].map((row) => {
      const { answer } = row;
      const was = before && (before.find((other) => other.name === row.name)?.answer ?? NEVER);
      const wide = answer.lower !== null && answer.upper - answer.lower > 1e-3;
      return h("tr", { class: row.ink },
        h("th", { scope: "row" }, h("span", { class: "dot", "aria-hidden": "true" }), " ", row.name),
        h("td", { class: "bar" }, h("span", { class: "track", "aria-hidden": "true" },
          h("span", { class: "fill", vars: { width: width(answer.value) } }),
          wide && h("span", { class: "doubt", vars: { left: width(answer.lower), width: width(answer.upper - answer.lower) } }),
          was && h("span", { class: "was", vars: { left: width(was.value) } }))),
        h("td", { class: "number worth", title: bounds(answer, 100, " %") }, percent(answer)),
        before && h("td", { class: "number change" }, was ? change(100 * (answer.value - was.value), "pp") : ""));
    })));
}

/** A difference with its direction. */
export function change(difference, unit = "", digits = 2) {
  if (!Number.isFinite(difference)) return "";
  if (Math.abs(difference) < 0.5 * 10 ** -digits) return h("span", { class: "soft" }, "=");
  const up = difference > 0;
  return h("span", { class: up ? "up" : "down" }, `${up ? "▲" : "▼"} ${decimals(Math.abs(difference), digits)}${unit ? ` ${unit}` : ""}`);
}

/** Chances in one narrow bar, with the words below. */
export function sharesBar(rows) {
  return h("div", { class: "shares", "aria-hidden": "true" }, rows.map((row) => h("i", { class: row.ink, vars: { flex: String(row.answer.value) } })));
}

/** The mean and the quantiles as facts; differences where there is something to compare with. */
export function lengthFacts(lengths, before = null) {
  const fact = (name, value, difference) => h("div", null, h("dt", null, name), h("dd", null, value, difference && [" ", difference]));
  const facts = [];
  if (lengths.mean) facts.push(fact("on average", amount({ value: lengths.mean }, 2), before?.mean && h("span", { class: "change" }, change(lengths.mean - before.mean))));
  for (const [part, value] of quantiles(lengths)) {
    const was = quantiles(before ?? {}).find(([other]) => other === part)?.[1];
    facts.push(fact(`${decimals(100 * part, 0)} % last at most`, quantile(value), was !== undefined && h("span", { class: "change" }, change(value - was, "", 0))));
  }
  return h("dl", { class: "facts" }, facts);
}

const quantiles = ({ quantiles: given }) => Object.entries(given ?? {}).map(([part, value]) => [Number(part), value])
  .filter(([, value]) => value !== null).sort((a, b) => a[0] - b[0]);

const H = 210, LEFT = 40, BOTTOM = 34, TOP = 30;

/** How long games last: the chance of every length, with quantiles and, dashed, what it was before. */
export function distribution(lengths, before = null, W = 560) {
  const words = lengths.unit ?? "moves";
  const points = lengths.distribution ?? [];
  if (!points.length) return null;
  const last = horizon(points), then = before?.distribution?.length ? horizon(before.distribution) : 0;
  const most = Math.max(last, then), first = 0;
  const top = Math.max(...points.map(([, p]) => p), ...(before?.distribution ?? []).map(([, p]) => p)) * 1.05;
  const x = (n) => LEFT + ((n - first) / (most - first || 1)) * (W - LEFT - 8);
  const y = (p) => H - BOTTOM - (p / top) * (H - BOTTOM - TOP);
  const shown = points.filter(([n]) => n <= most);
  const steps = (list) => list.map(([n, p]) => `L${x(n - 0.5).toFixed(1)} ${y(p).toFixed(1)}L${x(n + 0.5).toFixed(1)} ${y(p).toFixed(1)}`).join("");
  const area = `M${x(shown[0][0] - 0.5)} ${y(0)}${steps(shown)}L${x(shown.at(-1)[0] + 0.5)} ${y(0)}Z`;
  const line = (list) => `M${steps(list).slice(1)}`;
  const marks = quantiles(lengths).filter(([, n]) => Number.isInteger(n) && n <= most);
  const svg = s("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `How many ${words} the game takes: ${marks.map(([part, n]) => `${decimals(100 * part, 0)} % of games at most ${n}`).join(", ")}` },
    ticks(top).map((p) => [s("line", { class: "grid", x1: LEFT, x2: W - 8, y1: y(p), y2: y(p) }), s("text", { x: LEFT - 6, y: y(p) + 4, "text-anchor": "end" }, `${Number((100 * p).toPrecision(3))} %`)]),
    s("path", { class: "area", d: area }),
    before?.distribution?.length && s("path", { class: "before", d: line(before.distribution.filter(([n]) => n <= most)) }),
    marks.map(([part, n], at) => [
      s("line", { class: "mark", x1: x(n), x2: x(n), y1: TOP - 6, y2: y(0) }),
      s("text", { class: "strong", x: x(n), y: at % 2 ? 9 : 22, "text-anchor": x(n) > W - 60 ? "end" : "middle" }, `${decimals(100 * part, 0)} %: ${n}`)]),
    s("line", { class: "axis", x1: LEFT, x2: W - 8, y1: y(0), y2: y(0) }),
    ticks(most, W < 420 ? 4 : 8).map((n) => s("text", { x: x(n), y: H - 16, "text-anchor": "middle" }, count(n))),
    s("text", { x: W - 8, y: H - 1, "text-anchor": "end" }, words));
  const reading = h("figcaption", { class: "small" }, before?.distribution?.length ? "Dashed: the original." : `The chance of every number of ${words}.`);
  const aim = s("line", { class: "aim", y1: TOP, y2: y(0), visibility: "hidden" });
  svg.append(aim);
  const still = reading.textContent;
  let below = 0;
  const upTo = points.map(([n, p]) => [n, p, (below += p)]);
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const n = Math.round(first + (((event.clientX - box.left) * W / box.width - LEFT) / (W - LEFT - 8)) * (most - first));
    const found = upTo.find(([at]) => at === n);
    if (!found) return;
    aim.setAttribute("visibility", "visible");
    aim.setAttribute("x1", x(n));
    aim.setAttribute("x2", x(n));
    reading.textContent = `${n} ${words}: ${decimals(100 * found[1], 3)} % of games; at most ${n}: ${decimals(100 * found[2], 2)} %.`;
  });
  svg.addEventListener("pointerleave", () => {
    aim.setAttribute("visibility", "hidden");
    reading.textContent = still;
  });
  return h("figure", { class: "figure" }, svg, reading, asTable(["Length", "Chance", "At most"], () => upTo.filter(([n]) => n <= most)
    .map(([n, p, sum]) => [count(n), `${decimals(100 * p, 4)} %`, `${decimals(100 * sum, 3)} %`])));
}

/** Where 99.5 % of all games are over. */
function horizon(points) {
  let sum = 0;
  const whole = points.reduce((total, [, p]) => total + p, 0);
  for (const [n, p] of points) if ((sum += p) >= 0.995 * whole) return Math.max(n, 2);
  return points.at(-1)[0];
}

function ticks(top, wanted = 3) {
  const raw = top / wanted, ten = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * ten).find((k) => k >= raw);
  return Array.from({ length: Math.floor(top / step) }, (_, i) => (i + 1) * step).filter((t) => wanted === 3 || Number.isInteger(t));
}

/** Numbers behind a picture, made when they are looked at. */
export function asTable(names, rows) {
  const body = h("tbody");
  const table = h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Numbers" }, h("table", null, h("thead", null, h("tr", null, names.map((name, at) => h("th", { scope: "col", class: at ? "number" : "" }, name)))), body));
  return h("details", { ontoggle: (event) => {
    if (!event.target.open || body.children.length) return;
    body.append(...rows().map((row) => h("tr", null, row.map((cell, at) => h(at ? "td" : "th", { scope: at ? undefined : "row", class: at ? "number" : "" }, cell)))));
  } }, h("summary", null, "As a table"), table);
}
