// Text to the clipboard, said on the button that asked for it.
import { made, say } from "./page.js";

const FADE = 2000; // milliseconds that "Copied" stays

export async function copy(text, button) {
  if (button.ariaDisabled) return; // it says "Copied"
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = copyTheOldWay(text) ? "Copied" : "Could not copy: use the download";
  }
  say(button.textContent);
  button.ariaDisabled = true; // so it keeps the focus
  setTimeout(() => {
    button.textContent = label;
    button.ariaDisabled = null;
  }, FADE);
}

/** For pages that are not served securely, where browsers keep the clipboard from scripts. */
function copyTheOldWay(text) {
  const area = made("textarea", { className: "spoken", text });
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
