// The model bench: a model in the PRISM language, questions about it, and the answers.
import { desk } from "./answers.js";
import { keyOf, Refused } from "./api.js";
import { choice, field, fill, h, later, segments } from "./dom.js";
import { textEditor } from "./editor.js";
import { EXAMPLES } from "./examples.js";
import { icon } from "./icons.js";
import { draft, texts } from "./kept.js";
import { remember } from "./route.js";
import { copyAddress, packed, unpacked } from "./share.js";
import { plural } from "./words.js";

const WAYS = [["certified", "Certified"], ["exact", "Exact"], ["simulate", "Simulate"]];
const AT = "#/bench"; // where one's own model is; a link that holds a model is left when the model is changed
const kept = draft("bench"), own = texts("bench model");

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
/** The model to begin with: the link's, or what this tab was at, or the newest that was kept, or an example. */
async function before(path) {
  const shared = path[1]?.startsWith("~") ? parsed(await unpacked(path[1].slice(1))) ?? {} : null;
  if (shared && typeof shared.source !== "string") throw new Refused({ message: "The address holds no model: it may have been cut off." });
  const here = shared ? null : parsed(kept.get(AT));
  const { source, properties = "", constants = "", way = "certified" } = shared ?? here ?? parsed(own.all()[0]?.text) ?? EXAMPLES[0];
  return { source, properties, constants, way, place: here?.place ?? null };
}

/** Show the bench in `main`. */
export async function show(main, { path, signal }) {
  let { place: from, way, ...first } = await before(path); // where it was kept before, by this tab or the one it was copied from
  let place = null, replaced = null, changed = false; // where it is kept, once it is changed
  const source = textEditor("Model", first.source, { rows: 20, oninput: edited });
  const properties = textEditor("Properties, one a line", first.properties, { rows: 6, oninput: edited });
  const constants = h("input", { value: first.constants, placeholder: "goal=20, inn=7", autocomplete: "off", spellcheck: "false", oninput: edited });
  const ways = h("div"), said = h("div", { role: "status" });
  const answers = h("div", { class: "stack", role: "status", "aria-live": "polite" }), room = h("div", { class: "stack" });
  const model = () => ({ source: source.value, properties: properties.value, constants: constants.value, way });
  const question = () => ({ kind: "check", source: source.value, properties: properties.value, constants: constantsOf(constants.value), exact: way === "exact", simulate: way === "simulate" });
  const begun = JSON.stringify(model());
  const checks = desk(room, { signal, failed: marked, whose: () => "These are answers to the text as it was before. Answer asks again." });
  const note = checks.panel({ elements: [answers], show: (result, { request }) => fill(answers, answersOf(result, request)) });

  // What is kept -------------------------------------------------------------------------
  function save() {
    if (!changed) return;
    changed = false;
    if (!place) {
      place = own.place();
      if (from) own.moved(from, begun);
      from = null;
    }
    const text = JSON.stringify(model());
    kept.set(JSON.stringify({ ...model(), place }), AT);
    if (!EXAMPLES.some((each) => each.source === source.value && each.properties === properties.value)) own.keep(place, text);
    list();
  }
  const soon = later(300, save);
  addEventListener("pagehide", save, { signal });
  signal.addEventListener("abort", save);
  function edited() {
    changed = true;
    if (!signal.aborted && location.hash !== AT) remember(["bench"]);
    fill(said);
    checks.stand(question());
    soon();
  }
  function put(next) {
    [source.value, properties.value, constants.value] = [next.source, next.properties, next.constants ?? ""];
    way = next.way ?? "certified";
    pickWay();
    checks.stop();
    edited();
  }
  /** Another model; the one that was there stays among those that are kept, and Ctrl+Z brings it back. */
  function replace(next, { name, at = null }) {
    save();
    const back = { model: model(), place };
    place = at;
    put(next);
    replaced = { ...back, by: keyOf(model()) };
    fill(said, h("p", { class: "row small" }, `${name} is in the place of your model.`, h("button", { class: "small", type: "button", onclick: takeBack }, icon("undo"), "Undo")));
  }
  function takeBack() {
    ({ place } = replaced);
    put(replaced.model);
    replaced = null;
  }

  // Where to begin -----------------------------------------------------------------------
  const example = choice([], "", { id: "example", onchange: () => {
    const [kind, at] = example.value.split(/:(.*)/s);
    if (kind === "example") replace({ ...EXAMPLES[Number(at)] }, { name: `“${EXAMPLES[Number(at)].name}”` });
    const mine = kind === "own" && own.all().find((each) => each.place === at);
    if (mine) replace(parsed(mine.text), { name: `“${titleOf(mine)}”`, at });
    example.value = "";
  } });
  function list() {
    const mine = own.all().filter((each) => each.place !== place && each.text !== JSON.stringify(model()));
    const options = (pairs) => pairs.map(([value, words]) => h("option", { value }, words));
    fill(example, h("option", { value: "" }, "Begin with …"),
      h("optgroup", { label: "Examples" }, options(EXAMPLES.map((each, at) => [`example:${at}`, each.name]))),
      mine.length > 0 && h("optgroup", { label: "Your models" }, options(mine.map((each) => [`own:${each.place}`, titleOf(each)]))));
  }
  const pickWay = () => fill(ways, segments("How to answer", WAYS, way, (next) => { way = next; edited(); }));

  // Answers ------------------------------------------------------------------------------
  function run() {
    source.clear();
    properties.clear();
    return checks.ask(question());
  }
  /** Whether a mistake could be marked in the text that it is in: the text may be another by now. */
  function marked(error, asked) {
    const editor = { model: source, properties }[error.place?.part];
    if (!editor || keyOf(asked) !== keyOf(question())) return false;
    fill(room);
    editor.mark(error.message, error.place);
    return true;
  }

  pickWay();
  list();
  fill(main,
    h("div", { class: "row ends head" }, h("h1", null, "Model bench"),
      h("div", { class: "row tight" }, h("label", { class: "unseen", for: "example" }, "Example"), example,
        h("button", { class: "small", type: "button", onclick: async () => {
          save();
          const text = JSON.stringify(model()), letters = await packed(text);
          if (text !== JSON.stringify(model())) return; // changed meanwhile: the address would hold another
          remember(["bench", `~${letters}`]);
          fill(said, h("p", { class: "small" }, (await copyAddress()) ? "The link was copied: it holds the whole model." : "The link is in the address bar: it holds the whole model."));
        } }, icon("link"), "Copy link"))),
    h("p", { class: "lead" }, "A model in the PRISM language and questions about it: chains, decisions and games."),
    h("form", { class: "bench-grid", onsubmit: (event) => { event.preventDefault(); run(); } },
      h("section", { class: "card", "aria-label": "The model" }, source.element),
      h("section", { class: "card", "aria-label": "The questions" }, properties.element, field("Constants", constants),
        h("div", { class: "row ends" }, ways, h("button", { class: "main", type: "submit" }, icon("play"), "Answer")), h("p", { class: "small" }, "Ctrl + Enter answers, too."), said, room, note, answers)));
  main.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey)) return;
    const back = event.key.toLowerCase() === "z" && !event.shiftKey && replaced?.by === keyOf(model());
    if (event.key !== "Enter" && !back) return;
    event.preventDefault();
    if (back) takeBack();
    else run();
  });
}

/** What a kept model is called in the list: its first words, and when it was last changed. */
function titleOf({ text, at }) {
  const line = parsed(text)?.source.split("\n").map((each) => each.replace(/^[\s/]+/, "").trim()).find(Boolean) ?? "an empty model";
  return `${line.length > 40 ? `${line.slice(0, 39)}…` : line} (${new Date(at).toLocaleString("en", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hour12: false })})`;
}

function answersOf({ model, answers: list, notes = [] }, { simulate }) {
  const facts = [model.kind, model.states && plural(model.states, "state"), model.transitions && plural(model.transitions, "transition")].filter(Boolean).join(", ");
  const between = (each) => (each.exact || each.lower === null || each.lower === undefined || each.lower === each.upper || /±/.test(each.value) ? null
    : h("div", { class: "small" }, `${simulate ? "confidence" : "certainly"} from ${each.lower} to ${each.upper}`));
  return [h("h2", null, "Answers"), h("p", { class: "small" }, facts), h("div", { class: "scroll" }, h("table", { class: "answers" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Property"), h("th", { scope: "col" }, "Answer"))),
    h("tbody", null, list.map((each) => h("tr", null, h("th", { scope: "row" }, h("code", null, each.property)),
      each.error ? h("td", { class: "mistake" }, each.error.message ?? each.error) : h("td", null, h("b", { class: each.verdict === false ? "down" : each.verdict ? "up" : "" }, each.value), between(each))))))),
  notes.length > 0 && h("ul", { class: "small" }, notes.map((text) => h("li", null, text)))];
}

/** Constants as one writes them, "goal=20, inn=7", by name. */
const constantsOf = (text) => Object.fromEntries(text.split(/[,\s]+(?=[A-Za-z_]\w*\s*=)/).map((part) => part.split("=").map((each) => each.trim())).filter(([name, value]) => name && value !== undefined));
