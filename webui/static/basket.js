// On the pages of the basket and of the history: notes are saved as they are written; where this browser keeps both,
// they are shown and changed here.
import { errorOf } from "./events.js";
import * as storage from "./storage.js";

const form = document.getElementById("basket");
const saved = document.getElementById("saved");
const PAUSE = 500; // milliseconds without a key until a note is saved
document.documentElement.classList.add("scripted");

const say = (message) => { saved.textContent = message; };

/** The fields of the notes, each with the hidden one of what was kept when it was shown or last saved. */
const noteFields = () => [...form.querySelectorAll(".picks li")].map((item) => (
  { key: item.querySelector("[name=pick]").value, field: item.querySelector("textarea"), was: item.querySelector(".was") }));

async function saveOnServer() {
  const sent = noteFields().map(({ field, was }) => [was, field.value]);
  try {
    const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (response.ok) for (const [was, note] of sent) was.value = note;
    say(response.ok ? "Notes saved." : await errorOf(response));
  } catch {
    say("The server cannot be reached: the notes are not saved.");
  }
}

/** A link that leads to the web, or no link: what is stored may be of anybody who could write it. */
function link(element, address) {
  if (/^https?:/i.test(address)) element.href = address;
  else if (element.textContent && element.closest(".pick-title")) element.replaceWith(element.textContent);
  else element.remove();
}

function shown(pick, number) {
  const item = document.getElementById("pick").content.firstElementChild.cloneNode(true);
  const title = item.querySelector(".pick-title a");
  title.textContent = pick.title;
  link(title, pick.link);
  item.querySelector(".pick-byline").textContent = pick.byline;
  for (const name of ["doi", "pdf"]) {
    const element = item.querySelector(`.${name}`);
    element.ariaLabel += pick.title;
    link(element, pick[name]);
  }
  if (!pick.cited) item.querySelector(".pick-cited").remove();
  item.querySelector("[name=pick]").value = pick.key;
  const [label, note, remove] = ["label", "textarea", "[name=remove]"].map((part) => item.querySelector(part));
  note.id = label.htmlFor = `note-${number}`;
  label.textContent = `Note on ${pick.title}`;
  const was = item.querySelector(".was");
  note.value = was.value = pick.note;
  note.name = `note:${pick.key}`;
  was.name = `was:${pick.key}`;
  remove.value = pick.key;
  remove.setAttribute("aria-label", `Remove ${pick.title}`);
  return item;
}

function showBasket() {
  const picks = storage.picks();
  form.hidden = !picks.length;
  document.getElementById("no-picks").hidden = Boolean(picks.length);
  document.getElementById("basket-heading").textContent = picks.length ? "Your basket" : "Your basket is empty";
  document.getElementById("basket-size").textContent = picks.length;
  form.querySelector(".picks").replaceChildren(...picks.map(shown));
}

/** Keep the notes that were changed here; the others may have been changed in another tab. */
function keepNotes() {
  const changed = noteFields().filter(({ field, was }) => field.value !== was.value);
  const notes = new Map(changed.map(({ key, field }) => [key, storage.noted(field.value)]));
  storage.edit((pick) => ({ ...pick, note: notes.get(pick.key) ?? pick.note }));
  for (const { field, was } of changed) was.value = field.value;
}

const OWN = {
  remove: ({ value }) => storage.edit((pick) => (pick.key === value ? null : pick)),
  empty: () => storage.edit(() => null),
  cite: () => { location.href = storage.citeBasket(); },
};

function change(event) {
  const own = OWN[event.submitter?.name];
  if (!own) return; // downloads stay ordinary form posts
  event.preventDefault();
  try {
    keepNotes();
    own(event.submitter);
    showBasket();
  } catch (error) {
    say(error.message);
  }
}

function limitsOf(fields, labels) {
  const given = Object.entries(labels).map(([name, label]) => [label, (fields[name] ?? "").trim().split(/\s*\n\s*/)]);
  return given.filter(([, [first]]) => first && first !== "0")
    .map(([label, lines]) => `${label.replace("{n}", lines.length).replace("{}", lines.join(", "))}; `).join("");
}

function showHistory() {
  const questions = storage.questions();
  const shown = document.getElementById("history");
  const labels = JSON.parse(shown.dataset.limits);
  shown.hidden = !questions.length;
  document.getElementById("history-heading").textContent = questions.length ? "Your questions" : "You have asked nothing yet";
  document.querySelector(".past").replaceChildren(...questions.map(({ number, fields, home, index, asked }) => {
    const entry = document.createElement("li");
    const again = document.createElement("a");
    again.href = storage.addressOf(number, home);
    again.textContent = fields.text.trim().split("\n")[0].slice(0, 100) || "Untitled";
    const when = document.createElement("span");
    when.className = "hint";
    when.textContent = ` ${limitsOf(fields, labels)}${asked.slice(0, 16).replace("T", " ")} UTC${index && `, ${index}`}`;
    entry.append(again, when);
    return entry;
  }));
}

function saveHere() {
  keepNotes();
  say("Notes saved.");
}

if (form) {
  const save = storage.local ? saveHere : saveOnServer;
  let timer = 0;
  form.addEventListener("change", save);
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(save, PAUSE);
  });
}
if (form && storage.local) {
  showBasket();
  form.addEventListener("submit", change);
}
if (storage.local && document.getElementById("history")) {
  showHistory();
  document.getElementById("basket-size").textContent = storage.picks().length;
  document.getElementById("forget").addEventListener("submit", (event) => {
    event.preventDefault();
    storage.forget();
    showHistory();
  });
}
