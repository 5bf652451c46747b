// What the page adds when scripts run: answers without a page jump, better orders as they come, stopping, copying.
import { chooseOrder, moveTo, typedHere } from "./addresses.js";
import { copy } from "./copy.js";
import { eventsOf, parsed, send } from "./events.js";
import { fill, startFromKnown } from "./inputs.js";
import "./keys.js";
import { hideProgress, isBeingRead, movesTo, offer, rest, showProgress, slide } from "./order.js";
import { ask, byId, copyOf, every, hide, modified, results, rowOf, say, typed } from "./page.js";
import { keepTick, pick, tickKept } from "./picks.js";
import { countMarks, sort, takeMarks } from "./results.js";
import { local, numberIn, question } from "./storage.js";

const find = byId("find");
const stop = byId("stop");
const errorLine = byId("error");
const LABEL = find.textContent;

let running = null; // AbortController of the question on its way
// What is shown when nothing is on its way, and the question that it answers.
let settled = { of: null, className: document.body.className, nodes: [...results.childNodes] };

function fail(message) {
  errorLine.textContent = message;
  errorLine.hidden = !message;
  if (message) errorLine.scrollIntoView({ block: "nearest" });
}

const searching = () => find.ariaDisabled === "true";

function busy(on) {
  find.ariaDisabled = on; // not disabled, which would lose the focus
  find.textContent = on ? "Searching…" : LABEL;
  hide(stop, !on, find);
  results.ariaBusy = on;
}

/** What the reader ticks and opens, and its name in any list; more of it is in the map, which is drawn anew. */
const boxes = () => every(".result [type=checkbox]");
const parts = () => every(".result details, .folded, .map");
const nameOf = (one) => [one.name || one.className, one.value ?? one.id, one.closest(".result")?.dataset.id].join(" ");

/** Put a list in place; what the reader has ticked and opened stays so. */
function show(nodes) {
  const marked = new Set([...boxes().filter((box) => box.checked), ...parts().filter((part) => part.open)].map(nameOf));
  results.replaceChildren(...nodes);
  sort();
  for (const box of boxes()) box.checked ||= marked.has(nameOf(box));
  tickKept();
  for (const part of parts()) part.open = marked.has(nameOf(part));
  countTicked();
}

function lookAtResults() {
  results.focus({ preventScroll: true });
  const { top } = results.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 3) results.scrollIntoView();
  rest();
}

function refine(list, of) {
  const put = () => {
    slide(() => show([...list.childNodes]));
    settled = { of, className: "answered", nodes: [...results.childNodes] };
    rest();
  };
  sort(list);
  const moved = movesTo(list);
  if (!moved || !isBeingRead()) {
    hideProgress();
    put();
    say(moved ? `The order was refined: ${moved} ${moved === 1 ? "paper" : "papers"} moved.` : "The order stays as it is.");
  } else {
    offer(moved, put);
  }
}

/** Take the lists of one question as they come. */
async function follow(response, mine, fields) {
  let better = null;
  let last = false; // has the server said that there is no better list?
  for await (const { name, data } of eventsOf(response)) {
    if (running !== mine) return; // a later question has taken over
    if (name === "failed") throw new Error(data.error);
    last = name === "end";
    if (last) break;
    if (settled.of !== mine) {
      const nodes = [...parsed(data.html).childNodes];
      show(nodes);
      const asked = { ...Object.fromEntries(fields), ...data.fields };
      if (ask.elements.text.value === fields.get("text")) {
        for (const name in data.fields) ask.elements[name].value = data.fields[name];
      }
      moveTo(data, asked);
      settled = { of: mine, className: "answered", nodes };
      say(results.querySelector("h2")?.textContent ?? "");
      lookAtResults();
      busy(false);
    } else {
      better = parsed(data.html);
    }
    if (data.read < data.to_read) showProgress(data.read, data.to_read, () => mine.abort());
  }
  mine.signal.throwIfAborted();
  if (!last) throw new Error("the server broke off: search again");
  if (better) refine(better, mine);
  else hideProgress();
}

/** Ask the server: a list at once, then the one that the cross-encoder has read. Without any, `undo` is called. */
async function search(undo) {
  takeMarks();
  const fields = new URLSearchParams(typed());
  running?.abort();
  const mine = new AbortController();
  running = mine;
  fail("");
  hideProgress();
  busy(true);
  say("Searching");
  document.body.className = "answered";
  if (results.contains(document.activeElement)) results.focus({ preventScroll: true });
  results.replaceChildren(copyOf("searching"));
  let failure = "";
  try {
    await follow(await send(ask.dataset.stream, fields, mine.signal), mine, fields);
  } catch (error) {
    if (running !== mine) return;
    failure = error.name === "AbortError" ? "" : error.message;
    hideProgress();
    if (settled.of !== mine) {
      document.body.className = settled.className;
      results.replaceChildren(...settled.nodes);
      undo?.();
    }
    say(failure ? "" : `Stopped: ${settled.of === mine ? "this is the first list" : "the page is as it was before"}.`);
    fail(failure);
  }
  running = null;
  busy(false);
  if (failure) fieldIn(failure).focus();
}

/** The field whose name or label a message begins with, unfolded, or that of the text. */
function fieldIn(message) {
  const begins = (words) => words && message.startsWith(`${words} `);
  const named = [...ask.elements].find(({ name, labels }) => labels?.length && (begins(name) || begins(labels[0].textContent)));
  const field = named ?? ask.elements.text;
  unfold(field);
  return field;
}

const ticked = () => every("[name=papers]:checked").map((box) => box.value);

/** Say how many papers are ticked, and count the marks; `changed` is the box that changed. */
function countTicked(changed) {
  const hint = byId("selected-hint");
  if (!hint) return; // an empty list
  const [count, all] = [ticked().length, every(".result").length];
  hint.textContent = count ? `the ${count} selected` : all === 1 ? "the one paper" : `all ${all} papers`;
  results.querySelector("[name=cite]").disabled = !count;
  countMarks(changed);
}

const unfold = (field) => field.closest("details")?.setAttribute("open", "");

// Without scripts the server says what is wrong, and where; with them the browser does so, in an open field.
ask.noValidate = false;
ask.addEventListener("invalid", ({ target }) => unfold(target), true);

ask.addEventListener("submit", (event) => {
  if (event.submitter?.name === "moved") return; // to another index, with what is typed
  event.preventDefault();
  if (!event.submitter || !searching()) search();
});

stop.addEventListener("click", () => running?.abort());

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && ask.contains(event.target)) {
    event.preventDefault();
    if (!searching()) ask.requestSubmit();
  }
  if (event.key === "Escape") running?.abort();
});

document.querySelector(".examples")?.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link?.dataset.title || modified(event)) return;
  event.preventDefault();
  fill(link.dataset);
  search();
});

results.addEventListener("click", ({ target }) => {
  const button = target.closest("#copy-all, .copy");
  if (!button) return;
  const row = button.closest(".result");
  const chosen = row ? [row] : every(".result [name=papers]:checked").map((tick) => tick.closest(".result"));
  const entries = (chosen.length ? chosen : every(".result")).map((one) => one.querySelector(".bibtex pre").textContent);
  copy(entries.join("\n"), button);
});

results.addEventListener("change", ({ target }) => {
  countTicked(target);
  if (target.name === "papers") keepTick(target).then(countTicked);
});
let again = ""; // of the map's address: browsers do not fetch a script again that could not be fetched
results.addEventListener("toggle", async ({ target }) => {
  if (!target.matches(".map[open]")) return;
  try {
    (await import("./map.js" + again)).draw(target);
  } catch {
    again = `?${Date.now()}`;
    target.querySelector(".map-view").textContent = "The map cannot be loaded: the server cannot be reached.";
  }
}, true);

tickKept();
countTicked();
startFromKnown(search, fail);

/** Let the form hold these fields, and nothing else but names, which are not kept; what is set is seen. */
function restore(fields) {
  for (const field of ask.elements) {
    if (!field.name || field.type === "file" || field.name === "authors") continue;
    if (field.type === "checkbox") field.checked = Boolean(fields[field.name]);
    else if (field.name in fields || field.type !== "range") field.value = fields[field.name] ?? "";
    if (field.name !== "k" && Number(fields[field.name] ?? 0) !== 0) unfold(field);
  }
}

/** Ask again what the address says that this browser keeps. */
function askKept() {
  const number = local && numberIn(location.hash);
  const kept = number && question(number);
  if (kept) {
    restore(kept.fields);
    search();
  } else if (number) {
    fail("this browser has no question at this address: a browser keeps only its own, the latest 50");
  }
}

/** Put papers into the basket; gives whether they are there, and says why not. */
const picked = (ids, how) => pick(ids, how).then(() => true, (error) => fail(error.message));

/** Add the selected papers to what is cited already, and ask again. */
async function markAsCited() {
  const cited = ticked();
  if (!await picked(cited, { cited: true })) return;
  const field = ask.elements.already_cited;
  field.value = [field.value.trim(), ...cited].filter(Boolean).join("\n");
  unfold(field);
  search();
}

/** Set a filter or take it off, and ask again. */
function setFilter(choice) {
  const [name, wanted] = choice.split(/=(.*)/s);
  const field = ask.elements.namedItem(name);
  const { checked, value } = field;
  if (field.type === "checkbox") field.checked = Boolean(wanted);
  else field.value = wanted;
  search(() => Object.assign(field, { checked, value }));
}

/** Put a neighbour of a paper into the basket, without leaving the list, where it may stand, too. */
async function addNearby(button) {
  if (!await picked([button.value])) return;
  const row = rowOf(button.value);
  if (row) row.querySelector("[name=papers]").checked = true;
  countTicked();
  button.textContent = "In the basket";
  button.ariaLabel = null;
  button.ariaDisabled = true;
}

// Downloads stay ordinary form posts.
const OWN = {
  cite: markAsCited,
  steer: () => search(),
  filter: (button) => setFilter(button.value),
  sort: (button) => { chooseOrder(button.value); sort(); },
  papers: addNearby,
};
results.addEventListener("submit", (event) => {
  const own = OWN[event.submitter?.name];
  if (!own) return;
  event.preventDefault();
  own(event.submitter);
});
askKept();
if (typedHere()) restore(typedHere());
