// What the page adds when scripts run: answers without a page jump, stopping, Ctrl+Enter, copying.
"use strict";

const ask = document.getElementById("ask");
const find = document.getElementById("find");
const stop = document.getElementById("stop");
const errorLine = document.getElementById("error");
const statusLine = document.getElementById("status");
const results = document.getElementById("results");
const LABEL = find.textContent;
const FADE = 2000; // milliseconds that "Copied" stays

let running = null; // AbortController of the question on its way
// What is shown when nothing is on its way, and the question that it answers.
let settled = { of: null, className: document.body.className, nodes: [...results.childNodes] };

document.documentElement.classList.add("scripted");

function fail(message) {
  errorLine.textContent = message;
  errorLine.hidden = !message;
}

function busy(on) {
  find.disabled = on;
  find.textContent = on ? "Searching…" : LABEL;
  stop.hidden = !on;
  results.setAttribute("aria-busy", String(on));
}

function element(name, className, text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function placeholder() {
  const waiting = element("div", "waiting");
  waiting.append(element("p", "", "Searching…"));
  for (let row = 0; row < 4; row += 1) {
    const lines = element("span", "");
    lines.append(element("i", ""), element("i", ""), element("i", ""));
    waiting.append(lines);
  }
  return waiting;
}

async function errorOf(response) {
  try {
    return (await response.json()).error;
  } catch {
    return `the server answered ${response.status}`;
  }
}

/** One list of the server, as nodes; `depth` is how many candidates are read closely, the server's choice if "". */
async function fetchList(fields, depth, signal) {
  const body = new URLSearchParams(fields);
  body.set("depth", depth);
  let response;
  try {
    response = await fetch(ask.dataset.api, { method: "POST", headers: { Accept: "text/html" }, body, signal });
    if (response.ok) {
      const answer = new DOMParser().parseFromString(await response.text(), "text/html");
      return [...answer.body.childNodes];
    }
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error("the server cannot be reached");
  }
  throw new Error(await errorOf(response));
}

/** Put a list in place; ticks of the list before it stay. */
function show(nodes) {
  const ticked = new Set([...results.querySelectorAll("[name=papers]:checked")].map((box) => box.value));
  results.replaceChildren(...nodes);
  for (const box of results.querySelectorAll("[name=papers]")) box.checked = ticked.has(box.value);
  countTicked();
  statusLine.textContent = results.querySelector("h2")?.textContent ?? "";
}

function lookAtResults() {
  results.focus({ preventScroll: true });
  results.scrollIntoView({ block: "nearest" });
  if (results.getBoundingClientRect().top > innerHeight / 2) results.scrollIntoView();
}

/** Ask the server: the first-stage list at once, then the one that the cross-encoder has read. */
async function search(fields) {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  fail("");
  busy(true);
  statusLine.textContent = "Searching";
  document.body.className = "answered";
  results.replaceChildren(placeholder());
  let failure = "";
  try {
    for (const depth of ask.dataset.reranker ? ["0", ""] : [""]) {
      const nodes = await fetchList(fields, depth, mine.signal);
      if (running !== mine) return; // a later question has taken over
      show(nodes);
      if (settled.of !== mine) lookAtResults();
      settled = { of: mine, className: "answered", nodes };
    }
  } catch (error) {
    if (running !== mine) return;
    failure = error.name === "AbortError" ? "" : error.message;
    if (settled.of !== mine) {
      document.body.className = settled.className;
      results.replaceChildren(...settled.nodes);
    }
    statusLine.textContent = "";
    fail(failure);
  }
  running = null;
  busy(false);
  if (failure) ask.elements.abstract.focus();
}

async function copy(text, button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = copyTheOldWay(text) ? "Copied" : "Could not copy: use the download";
  }
  statusLine.textContent = button.textContent;
  button.disabled = true;
  setTimeout(() => {
    button.textContent = label;
    button.disabled = false;
  }, FADE);
}

/** For pages that are not served securely, where browsers keep the clipboard from scripts. */
function copyTheOldWay(text) {
  const area = element("textarea", "spoken");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

function entries(all) {
  const ticked = [...results.querySelectorAll(".result:has(input:checked)")];
  const chosen = ticked.length || !all ? ticked : [...results.querySelectorAll(".result")];
  return chosen.map((result) => result.querySelector(".bibtex pre").textContent);
}

function countTicked() {
  const hint = document.getElementById("selected-hint");
  if (!hint) return; // an empty list
  const count = entries(false).length;
  hint.textContent = count
    ? `The ${count} ${count === 1 ? "paper" : "papers"} you ticked.`
    : "All of the list, or the papers you tick.";
  results.querySelector("[name=cite]").disabled = !count;
}

ask.addEventListener("submit", (event) => {
  event.preventDefault();
  search(new FormData(ask));
});

stop.addEventListener("click", () => running?.abort());

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && ask.contains(event.target)) {
    event.preventDefault();
    if (!find.disabled) ask.requestSubmit();
  }
  if (event.key === "Escape") running?.abort();
});

document.querySelector(".examples").addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  ask.elements.title.value = link.dataset.title;
  ask.elements.abstract.value = link.dataset.abstract;
  search(new FormData(ask));
});

results.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.id === "copy-all") copy(entries(true).join("\n"), button);
  if (button?.classList.contains("copy")) {
    copy(button.closest(".result").querySelector(".bibtex pre").textContent, button);
  }
});

results.addEventListener("change", countTicked);
countTicked();

// "I cite the ticked ones": add them to the field and ask again. Downloads stay ordinary form posts.
results.addEventListener("submit", (event) => {
  if (event.submitter?.name !== "cite") return;
  event.preventDefault();
  const ticked = [...results.querySelectorAll("[name=papers]:checked")].map((box) => box.value);
  const field = ask.elements.already_cited;
  field.value = [field.value.trim(), ...ticked].filter(Boolean).join("\n");
  field.closest("details").open = true;
  search(new FormData(ask));
});
