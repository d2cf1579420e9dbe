// Shows keepers what is theirs, and brings the script that does it once they open it: few readers ever do.
import { say } from "./words.js";

const section = document.getElementById("keep");
section.hidden = false;
section.addEventListener("toggle", bring, { once: true });

async function bring() {
  try {
    await import("./withdraw.js");
  } catch {
    section.querySelector("[data-part=told]").textContent = say("service-silent");
  }
}
