// Repositories and prefixes: their list, the form that creates one, and the settings of one, #ID. The modules of the forms
// are loaded when they are needed.
import { base, say } from "../words.js";
import { allMembers, call, Failure } from "./api.js";
import { busy, definitions, element, markField, notify, notifyFailure, table, time } from "./dom.js";
import { start } from "./gate.js";
import { prefixPath } from "./namespaces.js";
import { isAdmin } from "./session.js";

const REPOSITORIES = "/api/v1/repositories";
const ID = /^[0-9a-z-]{4,40}$/;
const part = (id) => document.getElementById(id);
let stored = null; // the repository that is shown: {document, tag}
let fields = null;
let listed = [];
let wizard = null; // the module of the form

start(async () => {
  part("begin").addEventListener("click", () => busy(part("begin"), begin));
  onSubmit("wizard", "next", () => wizard.advance());
  onSubmit("terms-form", "save-terms", save);
  onSubmit("prefix-form", "add-prefix", addPrefix);
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
  const answer = await call("GET", `${REPOSITORIES}/${encodeURIComponent(id)}`);
  const { document: repository } = answer;
  await fill(answer);
  const facts = [
    [say("repo-id"), repository.id],
    [say("repo-scheme"), say(`repo-scheme-${repository.scheme}`)],
    [say("repo-rules"), JSON.stringify(repository.rules)],
    [say("repo-created"), time(repository.created)],
    [say("repo-updated"), time(repository.updated)],
  ];
  part("repository-facts").replaceChildren(...definitions(facts));
  showPrefixes(id);
  for (const each of ["save-terms", "add-prefix"]) part(each).hidden = !isAdmin();
  part("repository-part").hidden = false;
  part("repository-title").focus();
}

// Fills the form from a response with the repository.
async function fill({ document: repository, headers }) {
  const { commitmentFields, termsFields } = await import("./repository-terms.js");
  stored = { document: repository, tag: headers.get("ETag") };
  part("repository-title").textContent = repository.title || repository.id;
  fields = { terms: termsFields(repository), commitment: commitmentFields(repository.support) };
  part("terms").replaceChildren(fields.terms.element);
  part("commitment").replaceChildren(fields.commitment.element);
}

function showPrefixes(id) {
  const { prefixes: names = [] } = listed.find((each) => each.id === id) ?? {};
  const lines = names.map((each) => element("li", {}, element("a", { href: `${base}/${encodeURI(each)}` }, each)));
  part("prefixes").replaceChildren(...(lines.length ? lines : [element("li", {}, say("repo-without-prefix"))]));
}

// Sends only what the reader changed since the form was filled. If somebody else changed the repository meanwhile, their
// changes are shown, and the next attempt adds those of the reader.
async function save() {
  const { document: before, tag } = stored;
  const now = { ...fields.terms.read(), support: fields.commitment.read() };
  const patch = Object.fromEntries(Object.entries(now).filter(([member, value]) => JSON.stringify(value) !== JSON.stringify(before[member] ?? null)));
  if (!Object.keys(patch).length) return notify(part("terms-message"), "soft", say("repo-unchanged"));
  const path = `${REPOSITORIES}/${encodeURIComponent(before.id)}`;
  const headers = { "Content-Type": "application/merge-patch+json" };
  try {
    // A merge patch keeps the members of an object that it does not name.
    if (patch.support && before.support) patch.support = { ...Object.fromEntries(Object.keys(before.support).map((each) => [each, null])), ...patch.support };
    const answer = await call("PATCH", path, { body: patch, tag, headers });
    await fill(answer);
    notify(part("terms-message"), "good", say("repo-saved"));
    await loadList();
  } catch (wrong) {
    if (wrong.status !== 412) return notifyFailure(part("terms-message"), wrong, part("terms-form"));
    await explainConflict(path, before);
  }
}

async function explainConflict(path, before) {
  try {
    const { document: current, headers } = await call("GET", path);
    stored = { document: before, tag: headers.get("ETag") };
    const members = Object.keys(current).filter((each) => each !== "updated" && JSON.stringify(current[each]) !== JSON.stringify(before[each]));
    const lines = members.map((each) => say("repo-conflict-member", { member: each, value: JSON.stringify(current[each]) }));
    notify(part("terms-message"), "bad", say("repo-conflict"), lines);
  } catch (wrong) {
    notifyFailure(part("terms-message"), wrong);
  }
}

async function addPrefix() {
  const field = part("new-prefix");
  const prefix = field.value.trim();
  markField(field, prefix ? "" : say("repo-no-prefix"));
  if (!prefix) return field.focus();
  const { id, title } = stored.document;
  try {
    await call("PUT", prefixPath(prefix), { body: { kind: "namespace", repository: id, title } });
    field.value = "";
    await loadList();
    showPrefixes(id);
    notify(part("prefix-message"), "good", say("repo-prefix-added", { prefix }));
  } catch (wrong) {
    notifyFailure(part("prefix-message"), wrong);
  }
}
