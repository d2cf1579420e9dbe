// The settings and prefixes of a repository.
import { base, say } from "../words.js";
import { call } from "./api.js";
import { definitions, element, markField, notify, notifyFailure, time } from "./dom.js";
import { prefixPath } from "./namespaces.js";
import { commitmentFields, termsFields } from "./repository-terms.js";
import { isAdmin } from "./session.js";

const REPOSITORIES = "/api/v1/repositories";
const part = (id) => document.getElementById(id);
let stored = null; // the repository that is shown: {document, tag}
let fields = null;
let reload = null;

// `onSubmit` attaches the work to a form and its button. `loadList` loads the list again, and returns its repositories.
export function prepare(onSubmit, loadList) {
  reload = loadList;
  onSubmit("terms-form", "save-terms", save);
  onSubmit("prefix-form", "add-prefix", addPrefix);
}

// Shows the repository; `listed` are the repositories of the list.
export async function show(id, listed) {
  const answer = await call("GET", `${REPOSITORIES}/${encodeURIComponent(id)}`);
  const { document: repository } = answer;
  fill(answer);
  const facts = [
    [say("repo-id"), repository.id],
    [say("repo-scheme"), say(`repo-scheme-${repository.scheme}`)],
    [say("repo-rules"), JSON.stringify(repository.rules)],
    [say("repo-created"), time(repository.created)],
    [say("repo-updated"), time(repository.updated)],
  ];
  part("repository-facts").replaceChildren(...definitions(facts));
  showPrefixes(id, listed);
  for (const each of ["save-terms", "add-prefix"]) part(each).hidden = !isAdmin();
  part("repository-part").hidden = false;
  part("repository-title").focus();
}

// Fills the form from a response with the repository.
function fill({ document: repository, headers }) {
  stored = { document: repository, tag: headers.get("ETag") };
  part("repository-title").textContent = repository.title || repository.id;
  fields = { terms: termsFields(repository), commitment: commitmentFields(repository.support) };
  part("terms").replaceChildren(fields.terms.element);
  part("commitment").replaceChildren(fields.commitment.element);
}

function showPrefixes(id, listed) {
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
    fill(answer);
    notify(part("terms-message"), "good", say("repo-saved"));
    await reload();
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
    showPrefixes(id, await reload());
    notify(part("prefix-message"), "good", say("repo-prefix-added", { prefix }));
  } catch (wrong) {
    notifyFailure(part("prefix-message"), wrong);
  }
}
