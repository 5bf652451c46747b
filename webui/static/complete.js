// A field that offers papers of the index while one types: the combobox of the ARIA practices, list only.
import { got, json, withField } from "./events.js";
import { made, modified } from "./page.js";

const PATIENCE = 150; // milliseconds without a key until the server is asked

/** Offer papers below `field`; `choose` gets the chosen one and the field. */
export function complete(field, choose) {
  const how = { id: `${field.id}-papers`, className: "completions", role: "listbox", "aria-label": "Papers of this index" };
  const list = made("ul", { ...how, hidden: "" });
  const around = made("div", { className: "completes" });
  field.replaceWith(around);
  around.append(field, list);
  const states = { role: "combobox", "aria-controls": list.id, "aria-expanded": "false", "aria-autocomplete": "list" };
  for (const [name, value] of Object.entries(states)) field.setAttribute(name, value);

  let papers = [];
  let at = -1;
  let timer = 0;
  let asking = null; // AbortController of the last request

  function close() {
    clearTimeout(timer);
    asking?.abort();
    list.hidden = true;
    field.ariaExpanded = false;
    mark(-1);
  }

  function mark(next) {
    at = next;
    [...list.children].forEach((item, place) => { item.ariaSelected = place === at; });
    if (at < 0) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", list.children[at].id);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  }

  function show() {
    list.replaceChildren(...papers.map((paper, place) => {
      const how = { id: `${list.id}-${place}`, role: "option", text: paper.title };
      return made("li", how, made("small", { text: paper.byline }));
    }));
    list.hidden = !papers.length;
    field.ariaExpanded = !list.hidden;
    mark(-1);
  }

  async function look() {
    asking?.abort();
    const mine = new AbortController();
    asking = mine;
    try {
      const response = await got(withField(field.dataset.search, "q", field.value), { signal: mine.signal });
      const found = await json(response);
      if (asking !== mine) return;
      papers = found.papers;
      show();
    } catch {
      if (asking === mine) close(); // typing goes on; the button still leads to the page of matches
    }
  }

  function take(place) {
    const paper = papers[place];
    close();
    if (paper) choose(paper, field);
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    if (field.value.trim().length > 1) timer = setTimeout(look, PATIENCE);
    else close();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !modified(event) && (at >= 0 || !field.name)) { // a nameless field is not sent
      event.preventDefault();
      if (!list.hidden) take(Math.max(at, 0));
    }
    if (list.hidden) return;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      event.preventDefault();
      mark((at + steps[event.key] + papers.length + (at < 0 && event.key === "ArrowUp" ? 1 : 0)) % papers.length);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      close();
    }
  });
  field.addEventListener("blur", () => setTimeout(close, PATIENCE));
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault(); // the field keeps the focus
    const item = event.target.closest("li");
    if (item) take([...list.children].indexOf(item));
  });
}
