// Notes are saved as they are written, and again while that fails.

const PAUSE = 500; // milliseconds without a key until a note is saved
const PATIENCE = 5000; // milliseconds until it is tried again

let timer = 0;
let failed = false;

/** Let `save` keep what is written in a field below `root`, or throw; who leaves before is asked, also if it `waits`. */
export function saveAsWritten(root, save, waits = () => false) {
  async function now(field) {
    clearTimeout(timer);
    try {
      await save(field);
      failed = false;
    } catch {
      failed = true;
      timer = setTimeout(now, PATIENCE, field);
    }
  }
  root.addEventListener("input", ({ target }) => {
    clearTimeout(timer);
    timer = setTimeout(now, PAUSE, target);
  });
  root.addEventListener("change", ({ target }) => now(target));
  addEventListener("pagehide", () => now(document.activeElement));
  addEventListener("beforeunload", (event) => { if (failed || waits()) event.preventDefault(); });
}
