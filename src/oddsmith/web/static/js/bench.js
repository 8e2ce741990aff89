// The model bench: a model in the PRISM language, questions about it, and the answers.
import { choice, field, fill, h, later, segments } from "./dom.js";
import { stopped } from "./api.js";
import { textEditor } from "./editor.js";
import { EXAMPLES } from "./examples.js";
import { icon } from "./icons.js";
import { worker } from "./progress.js";
import { remember } from "./route.js";
import { copyAddress, packed, unpacked } from "./share.js";
import { plural } from "./words.js";

const KEPT = "bench";
const WAYS = [["certified", "Certified"], ["exact", "Exact"], ["simulate", "Simulate"]];

async function before(path) {
  const text = path[1]?.startsWith("~") ? await unpacked(path[1].slice(1)) : localStorage.getItem(KEPT);
  try {
    return { ...EXAMPLES[0], ...JSON.parse(text) };
  } catch {
    return EXAMPLES[0];
  }
}

/** Show the bench in `main`. */
export async function show(main, { path, signal }) {
  const state = { way: "certified", constants: "", ...(await before(path)) };
  const text = () => {
    Object.assign(state, { source: source.value, properties: properties.value, constants: constants.value });
    const { name, ...kept } = state;
    return JSON.stringify(kept);
  };
  const save = () => localStorage.setItem(KEPT, text());
  const keep = later(300, save);
  const source = textEditor("Model", state.source, { rows: 20, oninput: keep });
  const properties = textEditor("Properties, one a line", state.properties, { rows: 6, oninput: keep });
  const constants = h("input", { value: state.constants, placeholder: "goal=20, inn=7", autocomplete: "off", spellcheck: "false", oninput: keep });
  const ways = h("div");
  const answers = h("div", { class: "stack", role: "status", "aria-live": "polite" });
  const room = h("div", { class: "stack" }), said = h("p", { class: "small", role: "status" });
  const checks = worker(room, { signal });
  const pickWay = () => fill(ways, segments("How to answer", WAYS, state.way, (way) => { state.way = way; keep(); }));
  const example = choice([["", "Begin with an example …"], ...EXAMPLES.map((each, at) => [at, each.name])], "", { id: "example", onchange: () => {
    if (example.value === "") return;
    Object.assign(state, { way: "certified", ...EXAMPLES[Number(example.value)] });
    source.value = state.source;
    properties.value = state.properties;
    constants.value = state.constants;
    pickWay();
    save();
    fill(answers);
    example.value = "";
  } });

  async function run() {
    save();
    source.clear();
    properties.clear();
    answers.classList.add("stale");
    try {
      showAnswers(await checks.start({ kind: "check", source: source.value, properties: properties.value, constants: constantsOf(constants.value), exact: state.way === "exact", simulate: state.way === "simulate" }));
    } catch (error) {
      if (stopped(error)) return;
      fill(answers);
      const editor = { model: source, properties }[error.place?.part];
      if (editor) {
        fill(room);
        editor.mark(error.message, error.place);
      }
    } finally { answers.classList.remove("stale"); }
  }
  function showAnswers({ model, answers: list, notes = [] }) {
    const facts = [model.kind, model.states && plural(model.states, "state"), model.transitions && plural(model.transitions, "transition")].filter(Boolean).join(", ");
    fill(answers, h("h2", null, "Answers"), h("p", { class: "small" }, facts), h("div", { class: "scroll" }, h("table", { class: "answers" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Property"), h("th", { scope: "col" }, "Answer"))),
      h("tbody", null, list.map((each) => h("tr", null, h("th", { scope: "row" }, h("code", null, each.property)),
        each.error ? h("td", { class: "mistake" }, each.error.message ?? each.error) : h("td", null, h("b", { class: each.verdict === false ? "down" : each.verdict ? "up" : "" }, each.value), between(each))))))),
      notes.length > 0 && h("ul", { class: "small" }, notes.map((text) => h("li", null, text))));
  }
  const between = (each) => (each.exact || each.lower === null || each.lower === undefined || each.lower === each.upper || /±/.test(each.value) ? null
    : h("div", { class: "small" }, `${state.way === "simulate" ? "confidence" : "certainly"} from ${each.lower} to ${each.upper}`));

  pickWay();
  fill(main,
    h("div", { class: "row ends head" }, h("h1", null, "Model bench"),
      h("div", { class: "row tight" }, h("label", { class: "unseen", for: "example" }, "Example"), example,
        h("button", { class: "small", type: "button", onclick: async () => {
          remember(["bench", `~${await packed(text())}`]);
          said.textContent = (await copyAddress()) ? "The link was copied: it holds the whole model." : "The link is in the address bar: it holds the whole model.";
        } }, icon("link"), "Copy link"))),
    h("p", { class: "lead" }, "A model in the PRISM language and questions about it: chains, decisions and games."),
    h("form", { class: "bench-grid", onsubmit: (event) => { event.preventDefault(); run(); } },
      h("section", { class: "card", "aria-label": "The model" }, source.element),
      h("section", { class: "card", "aria-label": "The questions" }, properties.element, field("Constants", constants),
        h("div", { class: "row ends" }, ways, h("button", { class: "main", type: "submit" }, icon("play"), "Answer")), h("p", { class: "small" }, "Ctrl + Enter answers, too."), said, room, answers)));
  main.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
  });
}

/** Constants as one writes them, "goal=20, inn=7", by name. */
const constantsOf = (text) => Object.fromEntries(text.split(/[,\s]+(?=[A-Za-z_]\w*\s*=)/).map((part) => part.split("=").map((each) => each.trim())).filter(([name, value]) => name && value !== undefined));
