// A manuscript sentence by sentence: papers are fetched and put beside the text, or below it on small screens.
import { copy } from "./copy.js";
import { errorIn, parsed, reach, withField } from "./events.js";
import { saveAsWritten, showKept } from "./notes.js";
import { byId, copyOf, made, modified, moveFrom, say, writes } from "./page.js";

const text = byId("manuscript");
const { address } = text.dataset; // of the part of the text that is shown, without anything beside it
const panel = () => byId("papers");

const unsaved = new Map(); // forms with notes as they were written, also on papers that nobody has picked yet
const keyOf = ({ elements: { sentence, paper } }) => `${sentence.value} ${paper.value}`;

let running = null; // AbortController of the papers on their way
let shownAt = location.search;

/** Mark the chosen sentence, and the work of it that is shown. */
function mark(link) {
  for (const old of text.querySelectorAll(".chosen")) old.classList.remove("chosen");
  for (const old of text.querySelectorAll("[aria-current]:not(.here)")) old.ariaCurrent = null;
  document.body.classList.toggle("asked", Boolean(link));
  if (!link) return;
  const sentence = link.closest(".sentence");
  sentence?.classList.add("chosen");
  (link.matches(".work") ? link : sentence?.querySelector(".words"))?.setAttribute("aria-current", "true");
}

/** Put a panel below the paragraph of the sentence; what was written in it before is there again. */
function place(made, link) {
  for (const form of made.querySelectorAll(".pick")) {
    const written = unsaved.get(keyOf(form))?.elements;
    if (!written) continue;
    for (const name of ["note", "was"]) form.elements[name].value = written[name].value;
    unsaved.set(keyOf(form), form);
  }
  withoutMoving(link, () => {
    panel()?.remove();
    link.closest(".paragraph").after(made);
  });
}

/** Run `change`; what is read stays where it is on the screen. */
function withoutMoving(read, change) {
  const before = read?.getBoundingClientRect().top;
  change();
  if (read) scrollBy({ top: read.getBoundingClientRect().top - before, behavior: "instant" });
}

/** The bibliography and the size of the basket as the server has them now. */
function refresh(found) {
  const now = found.querySelector("#bibliography");
  if (!now) return;
  byId("bibliography").replaceWith(now);
  byId("basket-size").textContent = now.dataset.basketSize;
}

/** The panel that the server answers with, and what comes with it. */
async function fragment(url, how) {
  const response = await reach(url, how);
  const html = await response.text();
  const found = parsed(html);
  if (found.querySelector("#papers")) return found;
  throw new Error(errorIn(html, response));
}

/** Show what a link of the text leads to; `focus` moves the keyboard there. */
async function show(link, { focus = false, push = true } = {}) {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  mark(link);
  rove(link.closest(".sentence").querySelector(".words"));
  if (push && link.search !== location.search) history.pushState(null, "", link.search);
  shownAt = location.search;
  place(copyOf("searching"), link);
  say("Searching");
  let made;
  try {
    const found = await fragment(withField(link.href, "panel", "1"), { signal: mine.signal });
    made = found.querySelector("#papers");
    refresh(found);
  } catch (error) {
    if (running !== mine || error.name === "AbortError") return;
    made = copyOf("searching");
    made.ariaBusy = null;
    const line = made.querySelector("p");
    line.className = "error";
    line.textContent = error.message;
  }
  if (running !== mine) return;
  place(made, link);
  say(made.querySelector(".error, .panel-title").textContent);
  if (focus) made.querySelector(".panel-title, .error")?.focus({ preventScroll: true });
  bringIntoView(link, made);
}

/** On small screens the panel may begin below the screen: scroll as far as the sentence stays in sight. */
function bringIntoView(link, made) {
  if (getComputedStyle(made).position === "fixed") {
    link.scrollIntoView({ block: "nearest" });
    return;
  }
  const hidden = made.getBoundingClientRect().top + 160 - innerHeight;
  const room = link.closest(".sentence").getBoundingClientRect().top - 16;
  if (hidden > 0) scrollBy({ top: Math.max(Math.min(hidden, room), 0) });
}

/** Back to the text alone; the keyboard goes to the sentence. */
function close({ focus = true, push = true } = {}) {
  running?.abort();
  running = null;
  const sentence = text.querySelector(".chosen .words");
  mark(null);
  withoutMoving(sentence, () => panel()?.remove());
  if (focus) sentence?.focus({ preventScroll: true });
  if (push) history.pushState(null, "", address);
  shownAt = location.search;
}

// One sentence is a stop of the Tab key: from it j and k, or the arrows, lead on.
let stop = null;

function rove(link) {
  if (!link || link === stop) return;
  if (stop) stop.tabIndex = -1;
  link.tabIndex = 0;
  stop = link;
}

function firstWords() {
  const first = [...text.querySelectorAll(".sentence")].map((one) => one.querySelector("a.words")).filter(Boolean);
  for (const link of text.querySelectorAll("a.words, a.work")) link.tabIndex = -1;
  rove(text.querySelector(".chosen a.words") ?? first[0]);
  return first;
}
const sentences = firstWords();

function move(step) {
  const inView = (link) => link.getBoundingClientRect().bottom > 70;
  const focused = document.activeElement?.closest?.(".sentence")?.querySelector("a.words");
  const from = focused ?? text.querySelector(".chosen a.words");
  if (sentences.includes(from)) moveFrom(from, sentences, step);
  else moveFrom(sentences.find(inView) ?? sentences.at(-1), sentences, 0);
  rove(document.activeElement.closest("a.words"));
}

/** To the next citation within the sentence, and back to its words. */
function moveInside(step) {
  const links = [...document.activeElement.closest(".sentence").querySelectorAll("a.words, a.work")]
    .filter((link, at) => !at || link.matches(".work"));
  moveFrom(document.activeElement, links, step);
}

const current = () => document.activeElement.closest(".candidate");
const candidates = () => [...panel().querySelectorAll(".candidate")];
const moveInPanel = (step) => moveFrom(current(), candidates(), step);

const IN_TEXT = {
  j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
  ArrowRight: () => moveInside(1), ArrowLeft: () => moveInside(-1), Escape: () => close(),
};
const IN_PANEL = {
  j: () => moveInPanel(1), k: () => moveInPanel(-1), Escape: () => close(),
  x: () => current()?.querySelector(".row button").click(),
  o: () => current()?.querySelector("summary").click(),
};

document.addEventListener("keydown", (event) => {
  if (modified(event) || (writes(event) && event.key !== "Escape")) return;
  const here = document.activeElement;
  const inText = here?.closest?.(".sentence") || (here === document.body && !event.key.startsWith("Arrow"));
  const action = (panel()?.contains(here) ? IN_PANEL : inText ? IN_TEXT : {})[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

text.addEventListener("click", (event) => {
  if (modified(event) || event.button) return;
  const button = event.target.closest("button.copy");
  if (button) copy(button.closest(".row").querySelector(".citing").textContent, button);
  const link = event.target.closest("a.words, a.work, a.close, a.to-papers");
  if (!link) return;
  event.preventDefault();
  if (link.matches("a.words") && !getSelection().isCollapsed) return; // somebody marks the text to copy it
  const byKeyboard = !event.detail;
  if (link.matches(".to-bibliography")) {
    close({ focus: false });
    const place = byId("bibliography");
    place.scrollIntoView({ block: "nearest" });
    place.querySelector("input:enabled, button")?.focus({ preventScroll: true });
  } else if (link.matches(".close")) close();
  else if (link.matches(".to-papers")) show(text.querySelector(".chosen a.words"), { focus: byKeyboard });
  else show(link, { focus: byKeyboard });
});

/** Send a form of the panel, or its note alone with `keep`; gives the panel as it is then. */
async function send(form, name) {
  const body = new URLSearchParams(new FormData(form));
  for (const one of ["panel", name].filter(Boolean)) body.set(one, "1");
  const key = keyOf(form);
  const { was, note, note: { value } } = form.elements;
  const before = was.value;
  was.value = value;
  unsaved.delete(key);
  try {
    return await fragment(form.action, { method: "POST", body, keepalive: true });
  } catch (error) {
    was.value = before;
    if (value !== before) unsaved.set(key, form);
    form.querySelector(".error")?.remove();
    (name === "keep" ? note : form.querySelector(".row")).after(made("p", { className: "error", text: error.message }));
    say(error.message);
    throw error;
  }
}

text.addEventListener("input", ({ target: { form, name, value } }) => {
  if (name !== "note") return;
  if (value === form.elements.was.value) unsaved.delete(keyOf(form));
  else unsaved.set(keyOf(form), form);
});

/** Notes on papers that are in the basket are saved as they are written; others wait until they are. */
async function keepNotes() {
  const forms = [...unsaved.values()].filter((form) => form.querySelector(".picked"));
  await Promise.all(forms.map(async (form) => {
    const { note, was, note: { value } } = form.elements;
    const found = await send(form, "keep");
    const now = [...found.querySelectorAll(".pick")].find((one) => keyOf(one) === keyOf(form));
    form.querySelector(".error")?.remove();
    say(`Note saved${showKept(note, was, value, now?.elements.was.value)}.`);
  }));
}
saveAsWritten(text, keepNotes, () => unsaved.size);

/** Papers go into the basket, and out of it, without leaving the place. */
text.addEventListener("submit", async (event) => {
  const form = event.target.closest(".pick");
  if (!form) return;
  event.preventDefault();
  const { id } = form.closest(".candidate").dataset;
  const open = new Set(candidates().filter((one) => one.querySelector("details").open).map((one) => one.dataset.id));
  const { scrollTop } = panel();
  panel().ariaBusy = true;
  try {
    const found = await send(form, event.submitter.name);
    place(found.querySelector("#papers"), text.querySelector(".chosen a.words"));
    refresh(found);
    panel().scrollTop = scrollTop;
    for (const one of candidates()) one.querySelector("details").open = open.has(one.dataset.id);
    const now = candidates().find((one) => one.dataset.id === id);
    now.querySelector(".row button").focus({ preventScroll: true });
    say(now.querySelector(".picked") ? "In the basket" : "Taken out of the basket");
  } catch {
    panel()?.removeAttribute("aria-busy");
  }
});

addEventListener("popstate", () => {
  if (location.search === shownAt) return;
  const wanted = new URLSearchParams(location.search);
  const links = [...text.querySelectorAll(`#s${Number(wanted.get("sentence"))} :is(a.words, a.work)`)];
  const link = links.find((one) => one.search === location.search);
  if (link) show(link, { push: false });
  else if (location.pathname + location.search === address) close({ focus: false, push: false });
  else location.reload();
});
