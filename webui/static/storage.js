// Basket and latest questions in the visitor's own browser, where the server keeps none and lets the page do it.

const { storage: root, index = "" } = document.body.dataset;
const QUESTIONS = 50; // the oldest give way
const PICKS = 1000;
const NOTE = 2000; // characters

/** Whether this browser is to keep them. */
export const local = root !== undefined;

const nameOf = (what) => `citescout:${root}:${what}`;

function load(what) {
  try {
    return JSON.parse(localStorage.getItem(nameOf(what))).filter(Boolean);
  } catch {
    return []; // nothing, no list of ours, or a browser that refuses
  }
}

function save(what, entries) {
  try {
    localStorage.setItem(nameOf(what), JSON.stringify(entries));
  } catch {
    throw new Error("this browser keeps no more: empty your history, or allow this page to store data");
  }
}

const keyOf = (id) => `${index}/${id}`;

/** The basket, in the order of picking: {key, title, byline, link, doi, pdf, note, cited} each. */
export const picks = () => load("picks");

/** Notes by the keys of their papers, also of papers that are in the basket no more. */
const notesKept = () => new Map([...load("notes"), ...picks().map(({ key, note }) => [key, note])]);

/** Save the basket, and `written` notes by key; those on papers that are not in it are had again once they are. */
function saveBasket(all, written = []) {
  const there = new Set(all.map(({ key }) => key));
  const notes = new Map([...notesKept(), ...written]);
  save("picks", all);
  save("notes", [...notes].filter(([key, note]) => note && !there.has(key)).slice(-PICKS));
}

/** Put papers into the basket, {id, title, byline, link, doi, pdf} each, or take them out; gives their number. */
export function pick(papers, { remove = false, cited = false } = {}) {
  const kept = new Map(picks().map((one) => [one.key, one]));
  const notes = new Map(load("notes"));
  for (const { id, title, byline, link = "", doi = "", pdf = "" } of papers) {
    const key = keyOf(id);
    if (remove) kept.delete(key);
    else kept.set(key, { note: notes.get(key) ?? "", cited: false, ...kept.get(key), ...(cited && { cited }), key, title, byline, link, doi, pdf });
  }
  if (kept.size > PICKS) throw new Error(`a basket holds ${PICKS} papers: remove some first`);
  saveBasket([...kept.values()]);
  return kept.size;
}

/** Change the basket: `change` gets every paper and gives it back, or null for one that is to go. */
export const edit = (change) => saveBasket(picks().map(change).filter(Boolean));

/** Keep notes, {key, note, before} each; gives by key what is kept: also what other tabs wrote since it was `before`. */
export function write(written) {
  const kept = notesKept();
  const notes = new Map(written.map(({ key, note, before }) => [key, withOthers(kept.get(key) ?? before.trim(), before.trim(), note.trim())]));
  saveBasket(picks().map((one) => ({ ...one, note: notes.get(one.key) ?? one.note })), notes);
  return notes;
}

/** A note with what others wrote on it since it `was` that, as kept_baskets.py has it. */
function withOthers(kept, was, text) {
  const around = (part) => `\n\n${part}\n\n`; // a blank line ends a part
  if (kept === was) return text;
  if (around(kept).includes(around(text))) return kept;
  const both = was && around(kept).includes(around(was))
    ? around(kept).replace(around(was), () => around(text)) : `${kept}\n\n${text}`;
  if (both.trim().length > NOTE) throw new Error(`a note was changed elsewhere, too, and both together have over ${NOTE} characters: shorten yours`);
  return both.trim();
}

/** Put back the papers that the basket had `before`. */
export function putBack(before) {
  const notes = new Map(load("notes"));
  const all = [...before, ...picks()].map((one) => [one.key, { ...one, note: notes.get(one.key) ?? one.note }]);
  saveBasket([...new Map(all).values()]);
}

/** Delete the basket with all notes. */
export const empty = () => ["picks", "notes"].forEach((what) => save(what, []));

/** Whether a paper of the shown index is in the basket. */
export const isKept = (id) => picks().some(({ key }) => key === keyOf(id));

/** The latest questions, the last first: {number, fields, home, index, asked} each. */
export const questions = () => load("questions").reverse();

/**
 * Keep a question and give its number: the fields of the form, without the names of authors, which nobody keeps.
 * It is the `shown` one, or the last one, where it is the same.
 */
export function ask(given, home, shown = 0, of = index) {
  const named = Object.entries(given).filter(([name, value]) => value && name !== "authors");
  const fields = Object.fromEntries(named.sort());
  let all = load("questions");
  const last = all.at(-1);
  const text = JSON.stringify([of, fields]);
  const same = [question(shown), last].find((one) => one && JSON.stringify([one.index, one.fields]) === text);
  if (same) return same.number;
  const number = (load("last")[0] ?? last?.number ?? 0) + 1; // never that of a forgotten one
  all = [...all, { number, fields, home, index: of, asked: new Date().toISOString() }].slice(-QUESTIONS);
  while (all.length) {
    try {
      save("questions", all);
      save("last", [number]);
      return number;
    } catch {
      all = all.slice(Math.ceil(all.length / 2)); // a long one may take the place of many
    }
  }
  return 0;
}

export const question = (number) => load("questions").find((one) => one.number === number);

export const forget = () => save("questions", []);

/** The latest question asked again, with the basket as cited already; gives its address. */
export function citeBasket() {
  const latest = questions()[0];
  if (!latest) throw new Error("search first: then the papers of your basket can be marked as cited by that paper");
  const mine = ({ key }) => key.startsWith(`${latest.index}/`);
  const cited = [...(latest.fields.already_cited ?? "").split("\n"), ...picks().filter(mine).map(({ key }) => key.slice(latest.index.length + 1))];
  const fields = { ...latest.fields, already_cited: [...new Set(cited.filter(Boolean))].join("\n") };
  edit((one) => (mine(one) ? { ...one, cited: true } : one));
  return addressOf(ask(fields, latest.home, 0, latest.index), latest.home);
}

export const addressOf = (number, home) => `${home}#asked-${number}`;

/** The number in an address that `addressOf` gave; 0 in any other. */
export const numberIn = (hash) => Number(/^#asked-(\d{1,9})$/.exec(hash)?.[1] ?? 0);
