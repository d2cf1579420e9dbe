// The gate of each management page: it shows the page to those who are signed in, and else the form to sign in.
//
// How a page uses it: its module calls `start(show)` once. `show(client)` runs when a key is there, after the content of
// the page (#page) became visible. api.js calls `renew()` if the service refuses the key: the content is hidden, not
// removed, so that nothing typed is lost, and comes back after the next sign-in.
import { failureOf } from "../service.js";
import { base, say } from "../words.js";
import { busy } from "./dom.js";
import { client, forgetKey, isAdmin, signIn, signOut } from "./session.js";

const part = (id) => document.getElementById(id);
const form = part("gate-form");
let waiting = null; // {promise, resolve} while the form is there
let focused = null; // what had the focus before the form was shown

// Shows the page, or the form first. The API accepts changes only from pages of its own origin.
export async function start(show) {
  if (new URL(base).origin !== location.origin) {
    part("manage-elsewhere").hidden = false;
    return;
  }
  part("sign-out").addEventListener("click", leave);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    busy(part("gate-button"), enter);
  });
  part("gate-button").disabled = false;
  if (client()) reveal();
  else await renew("");
  await show(client());
}

// Shows the form with the reason. Returns a promise that is kept after the next sign-in.
export function renew(why = say("manage-expired")) {
  if (waiting) return waiting.promise;
  forgetKey();
  waiting = {};
  waiting.promise = new Promise((resolve) => (waiting.resolve = resolve));
  focused = document.activeElement;
  for (const dialog of document.querySelectorAll("dialog[open]")) suspend(dialog);
  part("gate-why").textContent = why;
  part("page").hidden = true;
  part("manage-bar").hidden = true;
  part("gate").hidden = false;
  if (why) part("gate-key").focus();
  return waiting.promise;
}

// A modal dialog would cover the form. It opens again after the sign-in.
function suspend(dialog) {
  dialog.dataset.suspended = "";
  dialog.close("suspended");
}

async function enter() {
  const field = part("gate-key");
  part("gate-wrong").textContent = "";
  field.removeAttribute("aria-invalid");
  try {
    await signIn(field.value);
    field.value = "";
    const { resolve } = waiting;
    waiting = null;
    reveal();
    resolve();
  } catch (wrong) {
    part("gate-wrong").textContent = failureOf(wrong).sentence;
    field.setAttribute("aria-invalid", "true");
    field.focus();
  }
}

function reveal() {
  part("client-name").textContent = say("manage-signed-in", { id: client().id });
  for (const each of document.querySelectorAll("[data-for=admin]")) each.hidden = !isAdmin();
  part("gate").hidden = true;
  part("manage-bar").hidden = false;
  part("page").hidden = false;
  for (const dialog of document.querySelectorAll("dialog[data-suspended]")) {
    delete dialog.dataset.suspended;
    dialog.showModal();
  }
  if (focused?.isConnected && focused !== document.body) focused.focus();
}

// Loads the page again, so that nothing of the session stays in the document.
function leave() {
  signOut();
  location.reload();
}
