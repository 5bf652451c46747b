// Files and known papers instead of typing.
import { complete } from "./complete.js";
import { got, json, send, withField } from "./events.js";
import { dropped, partsOf } from "./folders.js";
import { ask, button, byId, made } from "./page.js";

const drop = byId("drop");
const note = byId("file-note");
const known = byId("known");
const { text, context, already_cited: cited } = ask.elements;
const inputs = [byId("file"), byId("folder")];
const idField = ask.elements.namedItem("id");

/** Say what came of a file; `address` is that of its text, if it is kept; with `undo`, a button takes it back. */
function tell(message, wrong = false, undo = null, address = "", label = "Undo") {
  note.textContent = message;
  note.classList.toggle("wrong", wrong);
  if (address) note.append(" ", made("a", { href: address, text: "Show its text" }));
  if (!undo) return;
  note.append(" ", button(label, () => {
    undo();
    tell(label === "Undo" ? "Undone." : "Cancelled.");
    text.focus();
  }, { className: "link" }));
}

/** Put a text into the field; `id` is that of a paper of the index, which should not be recommended to itself. */
export function fill({ title, abstract, id = "" }) {
  text.value = [title, abstract].filter(Boolean).join("\n\n");
  idField.value = id;
  context.value = "";
}

// A text that is changed is no longer that paper's.
text.addEventListener("input", () => { idField.value = ""; });

/** Let what scripts put into fields be kept as if it had been typed. */
const filled = () => ask.dispatchEvent(new Event("input"));

/** What the fields hold, to be put back. */
function remembered() {
  const before = [text, idField, context, cited].map((field) => [field, field.value]);
  return () => {
    for (const [field, value] of before) field.value = value;
    filled();
  };
}

function addCited(ids) {
  const lines = cited.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const added = new Set(ids.filter((id) => !lines.includes(id))); // lines of a pasted bibliography may be alike
  cited.value = [...lines, ...added].join("\n");
  filled();
}

let reading = null; // AbortController of the files on their way

/** Read files, each given with its path in the folder that it comes from. */
async function read(chosen) {
  const files = partsOf(chosen);
  reading?.abort();
  const mine = reading = new AbortController();
  tell(`Reading ${files.length === 1 ? files[0].file.name : `${files.length} files`} …`, false, () => mine.abort(), "", "Cancel");
  const body = new FormData();
  for (const { file, path } of files) body.append("file", file, path);
  let found;
  try {
    found = await json(await send(ask.dataset.file, body, mine.signal));
  } catch (error) {
    return mine.signal.aborted || tell(error.message, true);
  } finally {
    for (const input of inputs) input.value = ""; // read; it should not be sent again with the question
  }
  const undo = remembered();
  if (found.kind === "references") {
    addCited(found.ids);
    ask.querySelector(".options").open = true;
    const shown = found.missing.slice(0, 5).join(", ");
    const missing = found.missing_count ? ` Not in this index: ${shown}${found.missing_count > 5 ? " …" : ""}` : "";
    return tell(`${found.name}: ${found.summary}.${missing}`, false, undo);
  }
  if (found.address && !text.value.trim()) return location.assign(found.address);
  const replaced = text.value.trim() ? ", in place of your text" : "";
  const parts = [found.title && "title", found.abstract && "abstract"].filter(Boolean).join(" and ");
  if (parts) fill(found);
  addCited(found.ids);
  const cites = found.ids.length + found.missing_count ? ` What it cites: ${found.summary}.` : "";
  const unread = found.unread.length ? ` Not read: ${found.unread.join("; ")}.` : "";
  const remark = found.remark ? ` ${found.remark}` : "";
  const texts = `Read the ${parts} from ${found.name}${replaced}. Please check it.`;
  const message = `${parts ? texts : `${found.name} has no title and no abstract.`}${cites}${unread}${remark}`;
  return tell(message, false, undo, found.address);
}

for (const input of inputs) {
  input.addEventListener("change", () => {
    if (input.files.length) read([...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
  });
}

// A file or a folder may be dropped anywhere on the question.
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
section.addEventListener("drop", async (event) => {
  if (!holdsFile(event)) return;
  event.preventDefault();
  drop.classList.remove("over");
  const files = await dropped(event.dataTransfer);
  if (files.length) read(files);
});

complete(byId("add-cited"), (paper, field) => {
  addCited([paper.id]);
  field.value = "";
});

/** A paper of the index as the question; `search` asks it. */
export function startFromKnown(search, fail) {
  complete(known.elements.q, async (paper) => {
    try {
      fill(await json(await got(withField(ask.dataset.paper, "name", paper.id))));
      search();
    } catch (error) {
      fail(error.message);
    }
  });
}
