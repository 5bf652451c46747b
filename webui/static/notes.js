// Notes are saved as they are written, and again while that fails.

const PAUSE = 500; // milliseconds without a key until a note is saved
const PATIENCE = 5000; // milliseconds until it is tried again

let timer = 0;
let failed = false;

/** Show what is kept of a note that was `sent`: also what was written on it elsewhere, which the words given say. */
export function showKept(field, was, sent, kept = sent) {
  if (kept === sent.trim() || field.value !== sent) return "";
  field.value = was.value = kept;
  return ", below what was written elsewhere";
}

/** Let `save` keep all that is written below `root`, or throw; who leaves before is asked, also if it `waits`. */
export function saveAsWritten(root, save, waits = () => false) {
  async function now() {
    clearTimeout(timer);
    try {
      await save();
      failed = false;
    } catch {
      failed = true;
      timer = setTimeout(now, PATIENCE);
    }
  }
  root.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(now, PAUSE);
  });
  root.addEventListener("change", now);
  addEventListener("pagehide", now);
  addEventListener("beforeunload", (event) => { if (failed || waits()) event.preventDefault(); });
}
