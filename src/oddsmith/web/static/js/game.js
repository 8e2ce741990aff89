// One game: its rules, its odds, and what one can do with it.
import { desk } from "./answers.js";
import { game } from "./api.js";
import { drawBoard } from "./board.js";
import { chip, oddsTable, rowsOf } from "./chart.js";
import { choice, field, fill, h } from "./dom.js";
import { emblem, icon } from "./icons.js";
import { download } from "./share.js";
import { theme } from "./theme.js";
import { amount, bounds, paragraphs } from "./words.js";

/** Show a game in `main`. */
export async function show(main, { path, signal }) {
  const card = await game(path[1]);
  const odds = h("div", { class: "stack", role: "status" });
  const waiting = h("div");
  const report = reporter(card, signal);
  fill(main,
    h("p", { class: "small" }, h("a", { href: "#/" }, "Games"), " / ", card.title),
    h("div", { class: "two" },
      h("div", { class: "stack" },
        h("h1", null, card.title),
        h("p", { class: "lead" }, card.summary),
        h("div", { class: "row" },
          card.board && h("a", { class: "button main", href: `#/workshop/${card.key}` }, icon("tools"), "Open in the workshop"),
          h("a", { class: card.board ? "button" : "button main", href: `#/play/${card.key}` }, icon("play"), "Play"),
          report.button),
        report.element,
        h("section", { class: "card" }, h("h2", null, "Odds"), odds, waiting),
        h("section", { class: "card prose" }, h("h2", null, "Rules"), paragraphs(card.rules).map((text) => h("p", null, text)))),
      h("div", { class: "stack" },
        h("div", { class: "card" }, card.board_file ? drawBoard(card.board_file.drawing, { label: `The board of ${card.title}` }).element : emblem(card.key)),
        pictures(card, signal),
        card.options.length > 0 && h("section", { class: "card" }, h("h2", null, "Options"), optionTable(card)),
        card.policies.length > 0 && h("section", { class: "card" }, h("h2", null, "Ways to play"),
          h("dl", { class: "defined" }, card.policies.map((each) => [h("dt", null, each.name), h("dd", null, each.says)])))))
  );
  const headline = desk(waiting, { signal, whose: () => "" });
  headline.panel({ elements: [odds], show: (answer) => fill(odds, oddsOf(answer)) });
  headline.ask({ kind: "headline", game: card.key });
}

function oddsOf(answer) {
  const rows = rowsOf(answer);
  const more = [...(answer.score ?? []).map((each) => ["expected score", each]), ["moves on average", answer.length]].filter(([, each]) => each);
  return [rows.length > 0 && oddsTable(rows),
    h("dl", { class: "facts" }, more.map(([name, each]) => h("div", { title: bounds(each) }, h("dt", null, name), h("dd", null, amount(each))))),
    h("p", { class: "row small" }, chip(answer.method), ...(answer.how ?? []).map((text) => h("span", null, text)))];
}

function optionTable(card) {
  return h("div", { class: "scroll" }, h("table", null, h("thead", null, h("tr", null, ["Option", "Takes", "Default"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", null, card.options.map((option) => h("tr", null, h("th", { scope: "row" }, h("code", null, option.name)), h("td", null, option.takes), h("td", null, String(option.default)))))));
}

function reporter(card, signal) {
  const room = h("div"), ready = h("div");
  const reports = desk(room, { signal, whose: () => "" });
  reports.panel({ elements: [ready], show: ({ html }, { id }) => fill(ready, h("p", { class: "row", role: "status" }, "The report is ready:", opened(id),
    h("button", { class: "small", type: "button", onclick: () => download(`${card.key}.html`, html, "text/html") }, icon("download"), "Download"))) });
  return { element: [room, ready], button: h("button", { type: "button", onclick: () => reports.ask({ kind: "report", game: card.key }) }, icon("page"), "Report") };
}

const opened = (id) => h("a", { class: "button small", href: `/api/jobs/${id}/content`, target: "_blank", rel: "noopener" }, icon("page"), "Open");

function pictures(card, signal) {
  const select = choice(card.pictures.map(({ name, says }) => [name, sentence(says)]), card.pictures[0].name);
  const rule = h("input", { type: "text", placeholder: example(card), autocomplete: "off", spellcheck: "false" });
  const vary = field("Rule and its values", rule);
  const kept = h("input", { type: "text", placeholder: "such as total=0", autocomplete: "off", spellcheck: "false" });
  const where = field("Only states with", kept);
  const room = h("div"), frame = h("div", { class: "drawn" });
  const named = (name) => sentence(card.pictures.find((each) => each.name === name).says);
  const draws = desk(room, { signal, whose: ({ picture, settings }) => `This is another picture than the one chosen: ${[named(picture), ...Object.values(settings)].join(", ")}` });
  let shown = null, format = "svg";
  const forget = () => { if (shown) URL.revokeObjectURL(shown); };
  signal.addEventListener("abort", forget);
  const settings = () => {
    if (select.value === "sensitivity") return { vary: rule.value || rule.placeholder };
    return OF_POLICIES.includes(select.value) && kept.value ? { where: kept.value } : {};
  };
  const asked = () => ({ kind: "picture", game: card.key, picture: select.value, theme: theme(), format, settings: settings() });
  const changed = () => {
    vary.hidden = select.value !== "sensitivity";
    where.hidden = !OF_POLICIES.includes(select.value);
    draws.stand(asked());
  };
  const note = draws.panel({ elements: [frame], show({ content, media }, { id, request }) {
    forget();
    if (request.format === "html") return fill(frame, h("p", { class: "row", role: "status" }, "The picture is ready:", opened(id)));
    shown = URL.createObjectURL(new Blob([content], { type: media }));
    return fill(frame, h("img", { src: shown, alt: `${card.title}: ${named(request.picture)}` }));
  } });
  const draw = (as) => {
    format = as;
    draws.ask(asked());
  };
  for (const control of [select, rule, kept]) control.addEventListener("input", changed);
  changed();
  return h("section", { class: "card" }, h("h2", null, "Pictures"),
    h("div", { class: "row fields" }, field("Picture", select), vary, where,
      h("button", { type: "button", onclick: () => draw("svg") }, "Draw"),
      h("button", { type: "button", title: "A page that turns and zooms", onclick: () => draw("html") }, "Interactive")), room, note, frame);
}

const OF_POLICIES = ["section", "surface", "reachable", "moves", "contours"];
const sentence = (text) => text[0].toUpperCase() + text.slice(1);

/** A rule of this game to vary: its first number. */
function example(card) {
  const number = card.options.find((option) => option.kind === "number" && Number(option.default) > 0);
  if (!number) return "";
  const at = Number(number.default), step = Math.max(1, Math.round(at / 4));
  return `${number.name}=${Math.max(1, at - 2 * step)}..${at + 2 * step}:${step}`;
}
