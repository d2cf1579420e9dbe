// Buttons that copy: `data-copy` names the element whose text is copied. Without scripts they stay hidden.
import { say } from "./words.js";

// Browsers give pages no clipboard outside of https, and people may forbid it: then the text is selected, to be copied
// by the keyboard.
async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const told = button.nextElementSibling;
  try {
    await navigator.clipboard.writeText(source.textContent.trim());
    told.textContent = say("copied");
  } catch {
    getSelection().selectAllChildren(source);
    told.textContent = say("copy-selected");
  }
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}
