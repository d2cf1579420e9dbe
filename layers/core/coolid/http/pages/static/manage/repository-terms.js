// The terms of a repository as fields: where its identifiers lead, and the commitment to its users.
import { say } from "../words.js";
import { element, field, newId } from "./dom.js";

const DEFAULTS = JSON.parse(document.getElementById("terms-data").textContent);
const TTLS = [60, 300, 3600, 86_400];
const KEPT = ["decades", "institution", "years", "none"];
const CHANGES = ["never", "corrected", "grows", "changes"];

function options(values, nameOf, current) {
  const known = values.includes(current) ? values : [...values, current];
  return known.map((value) => element("option", { value }, values.includes(value) ? nameOf(value) : String(value)));
}

function select(label, hint, pointer, values, nameOf, value) {
  return field({ label, hint, pointer, name: "select", value }, ...options(values, nameOf, value));
}

function box(label, pointer, checked) {
  const id = newId("box");
  const input = element("input", { id, type: "checkbox", "data-pointer": pointer });
  input.checked = checked;
  return { row: element("p", {}, input, " ", element("label", { class: "beside", for: id }, label)), input };
}

// Returns {element, read, focus}: `read()` returns the members of the repository's terms.
export function termsFields(repository = {}) {
  const { ttl, redirect, passthrough, landing, domains = [], denied_domains: denied = [], archive, title = "" } = { ...DEFAULTS, ...repository };
  const parts = {
    title: field({ label: say("repo-title"), hint: say("repo-title-help"), pointer: "/title", value: title, maxlength: 500 }),
    landing: select(say("repo-landing"), say("repo-landing-help"), "/landing", ["target", "page"], (each) => say(`repo-landing-${each}`), landing),
    domains: field({ label: say("repo-domains"), hint: say("repo-domains-help"), pointer: "/domains", name: "textarea", value: domains.join("\n"), rows: 3, spellcheck: "false", autocapitalize: "none" }),
    redirect: select(say("repo-redirect"), say("repo-redirect-help"), "/redirect", DEFAULTS.statuses, (each) => say(`repo-redirect-${each}`), redirect),
    ttl: select(say("repo-ttl"), say("repo-ttl-help"), "/ttl", TTLS, (each) => say(`repo-ttl-${each}`), ttl),
    archive: field({ label: say("repo-archive"), hint: say("repo-archive-help"), pointer: "/archive", value: archive ?? "", maxlength: 2048, inputmode: "url", spellcheck: "false", autocapitalize: "none" }),
    denied: field({ label: say("repo-denied"), hint: say("repo-denied-help"), pointer: "/denied_domains", name: "textarea", value: denied.join("\n"), rows: 3, spellcheck: "false", autocapitalize: "none" }),
    passthrough: box(say("repo-passthrough"), "/passthrough", passthrough),
  };
  const { title: name, landing: where, domains: hosts, ...others } = parts;
  const more = element("details", {}, element("summary", {}, say("repo-more")), ...Object.values(others).map(({ row }) => row));
  const value = (each) => parts[each].input.value.trim();
  const listOf = (each) => value(each).split(/[\s,]+/).filter(Boolean).map((host) => host.toLowerCase());
  return {
    element: element("div", {}, name.row, where.row, hosts.row, more),
    input: name.input,
    read: () => ({
      title: value("title"),
      landing: value("landing"),
      domains: listOf("domains"),
      denied_domains: listOf("denied"),
      redirect: Number(value("redirect")),
      ttl: Number(value("ttl")),
      archive: value("archive") || null,
      passthrough: parts.passthrough.input.checked,
    }),
  };
}

// Returns {element, read}: `read()` returns the statement of support, or null if there is none. Answers to plain questions
// write its text, which can then be changed.
export function commitmentFields(support) {
  const { who = "", what = "", when = "", where = "" } = support ?? {};
  const parts = {
    who: field({ label: say("commitment-who"), hint: say("commitment-who-help"), pointer: "/support/who", value: who, maxlength: 500 }),
    kept: field({ label: say("commitment-kept"), name: "select" }, ...["", ...KEPT].map((each) => element("option", { value: each }, say(`commitment-kept-${each || "unset"}`)))),
    changes: field({ label: say("commitment-changes"), name: "select" }, ...["", ...CHANGES].map((each) => element("option", { value: each }, say(`commitment-changes-${each || "unset"}`)))),
    what: field({ label: say("commitment-what"), hint: say("commitment-what-help"), pointer: "/support/what", name: "textarea", value: what, rows: 4, maxlength: 500 }),
    when: field({ label: say("commitment-when"), hint: say("commitment-when-help"), pointer: "/support/when", value: when, maxlength: 500 }),
    where: field({ label: say("commitment-where"), hint: say("commitment-where-help"), pointer: "/support/where", value: where, maxlength: 2048, inputmode: "url", spellcheck: "false", autocapitalize: "none" }),
  };
  const addresses = box(say("commitment-addresses"), undefined, true);
  const tombstones = box(say("commitment-tombstones"), undefined, true);
  const preview = element("blockquote", { id: newId("preview") });
  const value = (each) => parts[each].input.value.trim();
  const read = () => {
    const made = Object.fromEntries(["who", "what", "when", "where"].map((each) => [each, value(each)]).filter(([, given]) => given));
    return made.what ? made : null;
  };
  const show = () => {
    const made = read();
    const lines = made ? [[made.who, made.what].filter(Boolean).join(": "), made.when && say("commitment-since", { when: made.when }), made.where] : [say("commitment-none")];
    preview.replaceChildren(...lines.filter(Boolean).map((line) => element("p", {}, line)));
  };
  const write = () => {
    const sentences = [
      value("kept") && say(`commitment-text-${value("kept")}`),
      value("changes") && say(`commitment-text-${value("changes")}`),
      addresses.input.checked && say("commitment-text-addresses"),
      tombstones.input.checked && say("commitment-text-tombstones"),
    ];
    if (value("kept") || value("changes")) parts.what.input.value = sentences.filter(Boolean).join(" ");
    show();
  };
  for (const each of [parts.kept.input, parts.changes.input, addresses.input, tombstones.input]) each.addEventListener("change", write);
  const answers = [parts.kept.row, parts.changes.row, addresses.row, tombstones.row];
  const questions = element("fieldset", {}, element("legend", {}, say("commitment-questions")), ...answers);
  const shown = element("div", { class: "panel" }, element("p", { class: "soft" }, say("commitment-preview")), preview);
  const whole = element("div", {}, parts.who.row, questions, parts.what.row, parts.when.row, parts.where.row, shown);
  whole.addEventListener("input", show);
  show();
  return { element: whole, read };
}
