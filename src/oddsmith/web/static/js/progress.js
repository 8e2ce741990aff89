// Work that takes a while: how far it is, and a button that stops it; and what the server refused.
import { h } from "./dom.js";
import { duration } from "./words.js";

/** A bar that shows a job; `stop` is called by its button. It appears only if the job takes a moment. */
export function progressBar(stop) {
  const bar = h("progress", { "aria-label": "Progress" });
  const words = h("p", { class: "words" });
  const element = h("div", { class: "progress", hidden: true }, bar, words, h("button", { class: "small", type: "button", onclick: stop }, "Cancel"));
  const timer = setTimeout(() => { element.hidden = false; }, 350);
  return {
    element,
    show(job) {
      const { stage, done, of, facts, seconds_left: left } = job.progress ?? {};
      if (of) {
        bar.max = of;
        bar.value = Math.min(done, of);
      } else bar.removeAttribute("value");
      const queue = job.status === "queued" && job.place_in_queue ? `number ${job.place_in_queue} in the queue` : null;
      words.textContent = [queue ?? stage ?? "starting", facts, left && `${duration(left)} left`].filter(Boolean).join(" · ");
    },
    done() {
      clearTimeout(timer);
      element.remove();
    },
  };
}

/** What the server refused, as a message. */
export const refusal = (error) => h("p", { class: "note-bad", role: "alert" }, error.message);
