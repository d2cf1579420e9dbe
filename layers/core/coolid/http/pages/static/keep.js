// Shows the section for owners, and loads its script when a reader opens it.
import { say } from "./words.js";

const section = document.getElementById("keep");
section.hidden = false;
section.addEventListener("toggle", bring, { once: true });

async function bring() {
  try {
    await import("./withdraw.js");
  } catch {
    section.querySelector("[data-part=message]").textContent = say("service-silent");
  }
}
