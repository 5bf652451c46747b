// On the pages of the basket and of the history: notes are saved as they are written; where this browser keeps both,
// they are shown and changed here.
import { errorIn, got, parsed } from "./events.js";
import { saveAsWritten, showKept } from "./notes.js";
import { byId, copyOf, made } from "./page.js";
import * as storage from "./storage.js";

const form = byId("basket");
const saved = byId("saved");
let before = storage.picks(); // the basket until it was changed last

const say = (message) => { saved.textContent = message; };

/** The notes that differ from the hidden field of what was kept when they were shown or last saved. */
const changedNotes = () => [...form.querySelectorAll(".picks li")].map((item) => {
  const [field, was] = [item.querySelector("textarea"), item.querySelector(".was")];
  return { key: item.querySelector("[name=pick]").value, field, was, note: field.value, before: was.value };
}).filter(({ note, before }) => note !== before);

/** Save them as `keep` does, which gives what is kept, by key; while it does, they count as saved. */
async function save(keep) {
  const changed = changedNotes();
  for (const { was, note } of changed) was.value = note;
  try {
    const kept = changed.length ? await keep(changed) : null;
    say(`Notes saved${changed.map(({ key, field, was, note }) => showKept(field, was, note, kept.get(key))).find(Boolean) ?? ""}.`);
  } catch (error) {
    for (const { was, before } of changed) was.value = before;
    say(`Notes are not saved: ${error.message}`);
    throw error;
  }
}

async function keepOnServer(changed) {
  const body = new URLSearchParams(changed.flatMap(({ field, was, note, before }) => [[field.name, note], [was.name, before]]));
  const response = await got(form.action, { method: "POST", body, keepalive: true });
  const html = await response.text();
  const page = parsed(html);
  if (!page.querySelector("#basket-heading")) throw new Error(errorIn(html, response));
  const now = page.querySelector("#basket")?.elements;
  return new Map(changed.map(({ key, was }) => [key, now?.[was.name]?.value]));
}

/** A link that leads to the web, or no link: what is stored may be of anybody who could write it. */
function link(element, address) {
  if (/^https?:/i.test(address)) element.href = address;
  else if (element.closest(".pick-title")) element.replaceWith(element.textContent);
  else element.remove();
}

function shown(pick, number) {
  const item = copyOf("pick");
  const parts = [".pick-title a", "label", "textarea", ".was", "[name=pick]", "[name=remove]"];
  const [title, label, note, was, key, remove] = parts.map((part) => item.querySelector(part));
  for (const element of item.querySelectorAll("[aria-label]")) element.ariaLabel += pick.title;
  title.textContent = pick.title;
  link(title, pick.link);
  for (const name of ["doi", "pdf"]) link(item.querySelector(`.${name}`), pick[name]);
  item.querySelector(".pick-byline").textContent = pick.byline;
  if (!pick.cited) item.querySelector(".pick-cited").remove();
  label.textContent += pick.title;
  label.htmlFor = note.id += number;
  for (const field of [note, was]) {
    field.name += pick.key;
    field.value = pick.note;
  }
  key.value = remove.value = pick.key;
  return item;
}

/** Show the basket, and where it stood what a click puts back. */
function showBasket() {
  const picks = storage.picks();
  const rows = picks.map(shown);
  const gone = before.filter(({ key }) => picks.every((pick) => pick.key !== key));
  const removed = document.querySelector(".removed");
  form.hidden = !picks.length;
  byId("no-picks").hidden = Boolean(picks.length);
  byId("basket-heading").textContent = picks.length ? "Your basket" : "Your basket is empty";
  byId("basket-size").textContent = picks.length;
  form.querySelector(".picks").replaceChildren(...rows);
  removed.hidden = !gone.length;
  removed.querySelector("bdi").textContent = gone[1] ? `${gone.length} papers` : gone[0]?.title;
  const next = rows[before.indexOf(gone[0])];
  if (next) next.prepend(removed);
  else form.after(removed);
  const back = rows[picks.findIndex(({ key }) => before.every((one) => one.key !== key))];
  (gone.length ? byId("put-back") : back)?.focus();
}

const OWN = {
  remove: ({ value }) => storage.edit((pick) => (pick.key === value ? null : pick)),
  restore: () => storage.putBack(before),
  empty: storage.empty,
  cite: () => { location.href = storage.citeBasket(); },
};

async function change(event) {
  const own = OWN[event.submitter?.name];
  if (!own) return; // downloads stay ordinary form posts
  event.preventDefault();
  try {
    await save(storage.write);
    const picks = storage.picks();
    own(event.submitter);
    before = picks;
    showBasket();
  } catch (error) {
    say(error.message);
  }
}

function limitsOf(fields, labels) {
  const given = Object.entries(labels).map(([name, label]) => [name, label, (fields[name] ?? "").trim().split(/\s*\n\s*/)]);
  return given.filter(([, , [first]]) => first && first !== "0")
    .map(([name, label, lines]) => [labels[`${name}=${lines[0]}`] ?? label, lines])
    .map(([label, lines]) => `${label.replace("{n}", lines.length).replace("{}", lines.join(", "))}; `).join("");
}

function showHistory() {
  const questions = storage.questions();
  const shown = byId("history");
  const labels = JSON.parse(shown.dataset.limits);
  shown.hidden = !questions.length;
  byId("history-heading").textContent = questions.length ? "Your questions" : "You have asked nothing yet";
  document.querySelector(".past").replaceChildren(...questions.map(({ number, fields, home, index, asked }) => {
    const text = (fields.context ?? fields.text).trim().split("\n")[0].slice(0, 100) || "Untitled";
    const when = ` ${limitsOf(fields, labels)}${asked.slice(0, 16).replace("T", " ")} UTC${index && `, ${index}`}`;
    const again = made("a", { href: storage.addressOf(number, home), dir: "auto", text });
    return made("li", {}, again, made("span", { className: "hint", text: when }));
  }));
}

if (form) saveAsWritten(form, () => save(storage.local ? storage.write : keepOnServer));
if (form && storage.local) {
  showBasket();
  form.addEventListener("submit", change);
  addEventListener("storage", () => { // another tab has added papers
    if (storage.picks().length > form.querySelectorAll(".picks li").length && !changedNotes().length) showBasket();
  });
}
if (storage.local && byId("history")) {
  showHistory();
  byId("basket-size").textContent = storage.picks().length;
  byId("forget").addEventListener("submit", (event) => {
    event.preventDefault();
    storage.forget();
    showHistory();
  });
}
