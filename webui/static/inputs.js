// Files and known papers instead of typing.
import { errorOf, send } from "./events.js";

const ask = document.getElementById("ask");
const drop = document.getElementById("drop");
const draftNote = document.getElementById("draft-note");
const referencesNote = document.getElementById("references-note");
const known = document.getElementById("known");

function tell(note, text, wrong = false) {
  note.textContent = text;
  note.classList.toggle("wrong", wrong);
}

async function upload(field, file, address, note) {
  tell(note, `Reading ${file.name} …`);
  const body = new FormData();
  body.set(field, file);
  try {
    return await (await send(address, body)).json();
  } catch (error) {
    tell(note, error.message, true);
    return null;
  }
}

/** Put a text into the fields; `id` is that of a paper of the index, which should not be told to cite itself. */
export function fill({ title, abstract, id = "" }) {
  ask.elements.title.value = title;
  ask.elements.abstract.value = abstract;
  ask.elements.namedItem("id").value = id;
}

// A text that is changed is no longer that paper's.
for (const field of [ask.elements.title, ask.elements.abstract]) {
  field.addEventListener("input", () => { ask.elements.namedItem("id").value = ""; });
}

function addCited(ids) {
  const field = ask.elements.already_cited;
  const lines = field.value.split("\n").map((line) => line.trim()).filter(Boolean);
  field.value = [...new Set([...lines, ...ids])].join("\n");
}

async function readDraft(file) {
  const found = await upload("draft", file, ask.dataset.draft, draftNote);
  ask.elements.draft.value = ""; // read; it should not be sent again with the question
  if (!found) return;
  fill(found);
  const parts = [found.title && "title", found.abstract && "abstract"].filter(Boolean).join(" and ");
  addCited(found.ids);
  const cites = found.ids.length + found.missing_count ? ` Of the works that it cites: ${found.summary}.` : "";
  const unread = found.unread.length ? ` Could not be read: ${found.unread.slice(0, 3).join("; ")}${found.unread.length > 3 ? " …" : ""}.` : "";
  tell(draftNote, `Took the ${parts} from ${file.name}. Please look them over.${cites}${unread}`);
}

async function readReferences(file) {
  const found = await upload("references", file, ask.dataset.references, referencesNote);
  ask.elements.references.value = "";
  if (!found) return;
  addCited(found.ids);
  const missing = found.missing_count ? ` Not in this index: ${found.missing.slice(0, 5).join(", ")}${found.missing_count > 5 ? " …" : ""}` : "";
  tell(referencesNote, `${found.summary}.${missing}`);
}

ask.elements.draft.addEventListener("change", ({ target }) => target.files[0] && readDraft(target.files[0]));
ask.elements.references.addEventListener("change", ({ target }) => target.files[0] && readReferences(target.files[0]));

// A file may be dropped anywhere on the question.
const section = ask.closest("section");
const holdsFile = (event) => event.dataTransfer?.types.includes("Files");
section.addEventListener("dragover", (event) => {
  if (!holdsFile(event)) return;
  event.preventDefault();
  drop.classList.add("over");
});
section.addEventListener("dragleave", (event) => {
  if (!section.contains(event.relatedTarget)) drop.classList.remove("over");
});
section.addEventListener("drop", (event) => {
  if (!holdsFile(event)) return;
  event.preventDefault();
  drop.classList.remove("over");
  const file = event.dataTransfer.files[0];
  if (!file) return;
  if (/\.(bib|ris|json|nbib)$/i.test(file.name)) {
    ask.querySelector(".options").open = true;
    readReferences(file);
  } else {
    readDraft(file);
  }
});

/** A paper of the index as the question; `search` asks it. */
export function startFromKnown(search, fail) {
  known.addEventListener("submit", async (event) => {
    event.preventDefault();
    const address = new URL(ask.dataset.paper, location.href);
    address.searchParams.set("name", known.elements.of.value);
    let response;
    try {
      response = await fetch(address);
    } catch {
      return fail("the server cannot be reached");
    }
    if (!response.ok) return fail(await errorOf(response));
    fill(await response.json());
    search(new FormData(ask));
  });
}
