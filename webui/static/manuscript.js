// A manuscript sentence by sentence: papers are fetched and put beside the text, or below it on small screens.
import { copy } from "./copy.js";
import { parsed } from "./events.js";

const text = document.getElementById("manuscript");
const statusLine = document.getElementById("status");
const { address } = text.dataset; // of the part of the text that is shown, without anything beside it
const panel = () => document.getElementById("papers");

let running = null; // AbortController of the papers on their way
let shownAt = location.search;

document.documentElement.classList.add("scripted");

function say(message) {
  statusLine.textContent = message;
}

/** Mark the chosen sentence, and the work of it that is shown. */
function mark(link) {
  for (const old of text.querySelectorAll(".chosen")) old.classList.remove("chosen");
  for (const old of text.querySelectorAll("[aria-current]:not(.here)")) old.removeAttribute("aria-current");
  document.body.classList.toggle("asked", Boolean(link));
  if (!link) return;
  const sentence = link.closest(".sentence");
  sentence?.classList.add("chosen");
  (link.matches(".work") ? link : sentence?.querySelector(".words"))?.setAttribute("aria-current", "true");
}

/** Put a panel below the paragraph of the sentence; what is read stays where it is on the screen. */
function place(made, link) {
  const paragraph = link.closest(".paragraph");
  const before = link.getBoundingClientRect().top;
  panel()?.remove();
  paragraph.after(made);
  scrollBy({ top: link.getBoundingClientRect().top - before, behavior: "instant" });
}

function waiting() {
  const head = `<p class="panel-title">Searching…</p><a class="close" href="${address}">Close</a>`;
  const of = 'class="panel" aria-label="Papers" aria-busy="true"';
  return parsed(`<section id="papers" ${of}><div class="panel-head">${head}</div></section>`).firstChild;
}

/** The bibliography and the size of the basket as the server has them now. */
function refresh(found) {
  const now = found.querySelector("#bibliography");
  if (!now) return;
  document.getElementById("bibliography").replaceWith(now);
  document.getElementById("basket-size").textContent = now.dataset.basketSize;
}

async function fragment(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error("The server cannot be reached.");
  }
  const html = await response.text();
  const found = parsed(html);
  if (!found.querySelector("#papers")) {
    throw new Error(found.querySelector("main p")?.textContent ?? `The server answered ${response.status}.`);
  }
  return found;
}

function panelAddress(link) {
  const url = new URL(link.href);
  url.searchParams.set("panel", "1");
  url.hash = "";
  return url;
}

/** Show what a link of the text leads to; `focus` moves the keyboard there. */
async function show(link, { focus = false, push = true } = {}) {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  mark(link);
  rove(link.closest(".sentence").querySelector(".words"));
  if (push && new URL(link.href).search !== location.search) {
    history.pushState(null, "", new URL(link.href).search);
  }
  shownAt = location.search;
  place(waiting(), link);
  say("Searching");
  let made;
  try {
    const found = await fragment(panelAddress(link), { signal: mine.signal });
    made = found.querySelector("#papers");
    refresh(found);
  } catch (error) {
    if (running !== mine || error.name === "AbortError") return;
    made = waiting();
    made.removeAttribute("aria-busy");
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
  if (sentence) {
    const before = sentence.getBoundingClientRect().top;
    panel()?.remove();
    scrollBy({ top: sentence.getBoundingClientRect().top - before, behavior: "instant" });
    if (focus) sentence.focus({ preventScroll: true });
  } else {
    panel()?.remove();
  }
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
  const here = sentences.indexOf(from);
  const next = here < 0 ? sentences.find(inView) : sentences[Math.min(Math.max(here + step, 0), sentences.length - 1)];
  if (!next) return;
  rove(next);
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

/** To the next citation within the sentence, and back to its words. */
function moveInside(step) {
  const links = [...document.activeElement.closest(".sentence").querySelectorAll("a.words, a.work")]
    .filter((link, at) => !at || link.matches(".work"));
  links[Math.min(Math.max(links.indexOf(document.activeElement) + step, 0), links.length - 1)]?.focus();
}

function moveInPanel(step) {
  const all = [...panel().querySelectorAll(".candidate")];
  const here = all.indexOf(document.activeElement.closest(".candidate"));
  const next = all[Math.min(Math.max(here + step, 0), all.length - 1)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

const IN_TEXT = {
  j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
  ArrowRight: () => moveInside(1), ArrowLeft: () => moveInside(-1), Escape: () => close(),
};
const current = () => document.activeElement.closest(".candidate");
const IN_PANEL = {
  j: () => moveInPanel(1), k: () => moveInPanel(-1), Escape: () => close(),
  x: () => current()?.querySelector(".row button").click(),
  o: () => current()?.querySelector("summary").click(),
};

document.addEventListener("keydown", (event) => {
  const writes = event.target.closest?.("input:not([type=checkbox]), textarea, select");
  if (event.ctrlKey || event.metaKey || event.altKey || (writes && event.key !== "Escape")) return;
  const here = document.activeElement;
  let action = null;
  if (panel()?.contains(here)) action = IN_PANEL[event.key];
  else if (here?.closest?.(".sentence")) action = IN_TEXT[event.key];
  else if (here === document.body && !event.key.startsWith("Arrow")) action = IN_TEXT[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

text.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const button = event.target.closest("button.copy");
  if (button) copy(button.closest(".row").querySelector(".citing").textContent, button, say);
  const link = event.target.closest("a.words, a.work, a.close, a.to-papers");
  if (!link) return;
  if (link.matches("a.words") && !getSelection().isCollapsed) { // somebody marks the text to copy it
    event.preventDefault();
    return;
  }
  event.preventDefault();
  const byKeyboard = !event.detail;
  if (link.matches(".to-bibliography")) {
    close({ focus: false });
    const place = document.getElementById("bibliography");
    place.scrollIntoView({ block: "nearest" });
    place.querySelector("input:enabled, button")?.focus({ preventScroll: true });
  } else if (link.matches(".close")) close();
  else if (link.matches(".to-papers")) show(text.querySelector(".chosen a.words"), { focus: byKeyboard });
  else show(link, { focus: byKeyboard });
});

/** What is open of a paper of the panel, and a note that is not saved yet; null without one. */
function typedIn(candidate) {
  const field = candidate.querySelector("textarea");
  const note = field && field.value !== field.defaultValue ? field.value : null;
  return { id: candidate.dataset.id, open: candidate.querySelector("details")?.open, note };
}

function restore(candidate, { open, note }) {
  const details = candidate?.querySelector("details");
  if (details) details.open = open;
  if (candidate && note !== null) candidate.querySelector("textarea").value = note;
}

/** Papers and notes go into the basket without leaving the place. */
text.addEventListener("submit", async (event) => {
  const form = event.target.closest(".pick");
  if (!form) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  body.set("panel", "1");
  const { id } = form.closest(".candidate").dataset;
  const typed = [...panel().querySelectorAll(".candidate")].map(typedIn);
  form.querySelector(".error")?.remove();
  const { scrollTop } = panel();
  panel().setAttribute("aria-busy", "true");
  try {
    const found = await fragment(form.action, { method: "POST", body });
    const link = text.querySelector(".chosen a.words");
    place(found.querySelector("#papers"), link);
    refresh(found);
    panel().scrollTop = scrollTop;
    const shown = new Map([...panel().querySelectorAll(".candidate")].map((one) => [one.dataset.id, one]));
    for (const one of typed) restore(shown.get(one.id), one.id === id ? { ...one, note: null } : one);
    const now = shown.get(id);
    now.querySelector(".row button").focus({ preventScroll: true });
    say(now.querySelector(".picked") ? "In the basket" : "Taken out of the basket");
  } catch (error) {
    panel().removeAttribute("aria-busy");
    say(error.message);
    const line = document.createElement("p");
    line.className = "error";
    line.textContent = error.message;
    form.prepend(line);
  }
});

addEventListener("popstate", () => {
  if (location.search === shownAt) return;
  const wanted = new URLSearchParams(location.search);
  const links = [...text.querySelectorAll(`#s${Number(wanted.get("sentence"))} :is(a.words, a.work)`)];
  const link = links.find((one) => new URL(one.href).search === location.search);
  if (link) show(link, { push: false });
  else if (location.pathname + location.search === address) close({ focus: false, push: false });
  else location.reload();
});
