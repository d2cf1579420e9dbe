// Buttons that copy a text: `data-copy` is the id of its element. They are hidden without scripts.
import { say } from "./words.js";

// Browsers give pages the clipboard only over https, and users can deny it. The text is then selected, so that the user
// can copy it with the keyboard.
async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const status = button.nextElementSibling;
  try {
    await navigator.clipboard.writeText(source.textContent.trim());
    status.textContent = say("copied");
  } catch {
    getSelection().selectAllChildren(source);
    status.textContent = say("copy-selected");
  }
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}
