// Repositories and prefixes: their list, the form that creates one, and the settings of one, #ID. The modules of the form
// and of the settings are loaded when they are needed.
import { base, say } from "../words.js";
import { allMembers, Failure } from "./api.js";
import { busy, element, notify, notifyFailure, table, time } from "./dom.js";
import { start } from "./gate.js";

const REPOSITORIES = "/api/v1/repositories";
const ID = /^[0-9a-z-]{4,40}$/;
const part = (id) => document.getElementById(id);
let listed = [];
let wizard = null; // the module of the form
let settings = null; // the module of the settings

start(async () => {
  part("begin").addEventListener("click", () => busy(part("begin"), begin));
  onSubmit("wizard", "next", () => wizard.advance());
  window.addEventListener("hashchange", route);
  await route();
});

function onSubmit(form, button, work) {
  part(form).addEventListener("submit", (event) => {
    event.preventDefault();
    busy(part(button), work);
  });
}

async function begin() {
  try {
    if (!wizard) {
      const loaded = await import("./repository-wizard.js");
      loaded.prepare(finish, leave);
      wizard = loaded;
    }
  } catch (wrong) {
    return notifyFailure(part("message"), wrong);
  }
  for (const id of ["overview-part", "done-part", "repository-part"]) part(id).hidden = true;
  wizard.open();
}

async function route() {
  const id = location.hash.slice(1);
  wizard?.close();
  notify(part("message"), "", "");
  part("done-part").hidden = true;
  part("overview-part").hidden = ID.test(id);
  part("repository-part").hidden = true;
  try {
    await loadList();
    if (ID.test(id)) await show(id);
  } catch (wrong) {
    part("overview-part").hidden = false;
    notifyFailure(part("message"), wrong);
  }
}

async function loadList() {
  listed = await allMembers(REPOSITORIES, "repositories");
  const columns = [
    { label: say("repo-title"), header: true, cell: name },
    { label: say("repo-prefixes"), cell: prefixes },
    { label: say("repo-scheme"), cell: ({ scheme }) => say(`repo-scheme-${scheme}`) },
    { label: say("repo-updated"), cell: ({ updated }) => time(updated) },
  ];
  const shown = table({ caption: say("repo-caption"), columns, rows: listed, class: "stacked" });
  part("list").replaceChildren(listed.length ? shown : element("p", {}, say("repo-none")));
  return listed;
}

function name({ id, title }) {
  return [element("a", { href: `#${id}` }, title || id), element("span", { class: "fact" }, id)];
}

function prefixes({ prefixes: names = [] }) {
  if (!names.length) return say("repo-without-prefix");
  return names.map((each) => element("span", { class: "fact" }, each));
}

function leave() {
  if (location.hash) location.hash = "";
  else route();
  part("begin").focus();
}

async function finish({ id, title }, prefix) {
  wizard.close();
  part("done-text").textContent = say("repo-done", { title, id, prefix });
  part("done-key").href = `${base}/pages/manage/keys#${new URLSearchParams({ prefix })}`;
  part("done-edit").href = `${base}/pages/manage/repositories#${id}`;
  part("done-part").hidden = false;
  part("overview-part").hidden = false;
  part("done-heading").focus();
  try {
    await loadList();
  } catch (wrong) {
    notifyFailure(part("message"), wrong);
  }
}

async function show(id) {
  if (!listed.some((each) => each.id === id)) throw new Failure(say("repo-unknown"));
  if (!settings) {
    const loaded = await import("./repository-settings.js");
    loaded.prepare(onSubmit, loadList);
    settings = loaded;
  }
  await settings.show(id, listed);
}
