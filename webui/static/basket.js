// On the page of the basket: notes are saved as soon as one leaves their field.
import { errorOf } from "./events.js";

const form = document.getElementById("basket");
const saved = document.getElementById("saved");
document.documentElement.classList.add("scripted");

form?.addEventListener("change", async () => {
  try {
    const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    saved.textContent = response.ok ? "Notes saved." : await errorOf(response);
  } catch {
    saved.textContent = "The server cannot be reached: the notes are not saved.";
  }
});
