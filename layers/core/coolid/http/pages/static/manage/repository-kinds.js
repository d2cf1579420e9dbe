// The kinds of identifiers that the form for repositories offers: their fields become a prefix, a scheme and its rules.
//
// The members of rules and their defaults are in the page (coolid/http/pages/scheme_rules.py), as the API has them.
import { draw, start } from "../schemes.js";
import { parseTemplate } from "../noid.js";
import { base, say } from "../words.js";

const RULES = JSON.parse(document.getElementById("rules").textContent);
const EXAMPLES = 4;
const SHOULDER = /^[a-z]+[0-9]$/;
const MONTH = /^[0-9]{4}\/(0[1-9]|1[0-2])$/;
const NAME = /^[a-z0-9][a-z0-9._-]*([/:][a-z0-9][a-z0-9._-]*)*$/;
const DOI = /^10\.[0-9]{4,9}(\.[0-9]+)*(\/[a-z0-9._-]+)*$/;
const HANDLE = /^[0-9]+(\.[0-9a-z_-]+)+$/;

const text = (id) => document.getElementById(id).value.trim();
const folded = (id) => text(id).toLowerCase();

// Returns what is wrong with a field: [[id, sentence]], or nothing.
function unless(isRight, id, key) {
  return isRight ? [] : [[id, say(key)]];
}

// Each kind: `scheme()`, `rules()`, `prefix()`, `capacity()` in words, `faults()` as [[id, sentence]], and `drawn`, the
// wishes for examples.
const KINDS = {
  ark: {
    scheme: () => "noid",
    rules: () => ({ template: text("template"), naan: folded("naan"), shoulder: folded("shoulder") }),
    prefix: () => `ark:${folded("naan")}${folded("shoulder") && `/${folded("shoulder")}`}`,
    capacity: () => many(parseTemplate(text("template"), folded("naan")).capacity),
    faults: () => [
      ...unless(folded("naan"), "naan", "repo-no-naan"),
      ...unless(!folded("shoulder") || SHOULDER.test(folded("shoulder")), "shoulder", "repo-bad-shoulder"),
    ],
    drawn: () => ({ template: text("template"), naan: folded("naan") }),
  },
  lui: {
    scheme: () => "lui",
    rules: () => ({ symbols: Number(text("symbols")) }),
    prefix: () => `${text("year")}/${folded("organisation")}`,
    capacity: () => many(32n ** BigInt(text("symbols"))),
    faults: () => [
      ...unless(MONTH.test(text("year")), "year", "repo-bad-month"),
      ...unless(NAME.test(folded("organisation")), "organisation", "repo-bad-name"),
      ...unless(/^([1-9]|1[0-2])$/.test(text("symbols")), "symbols", "repo-bad-symbols"),
    ],
    drawn: () => ({ symbols: Number(text("symbols")) }),
  },
  doi: {
    scheme: () => "cooldoi",
    rules: () => ({}),
    prefix: () => folded("doi-prefix"),
    capacity: () => many(32n ** 8n),
    faults: () => unless(DOI.test(folded("doi-prefix")), "doi-prefix", "repo-bad-doi"),
    drawn: () => ({}),
  },
  handle: {
    scheme: () => "pilin",
    rules: () => ({}),
    prefix: () => folded("handle-prefix"),
    capacity: () => say("repo-capacity-time"),
    faults: () => unless(HANDLE.test(folded("handle-prefix")), "handle-prefix", "repo-bad-handle"),
    drawn: () => ({}),
  },
  linkid: {
    scheme: () => text("digits"),
    rules: () => (text("digits") === "uuid" ? { version: 4 } : {}),
    prefix: () => folded("lid-prefix"),
    capacity: () => say("repo-capacity-enough"),
    faults: () => [
      ...unless(NAME.test(folded("lid-prefix")), "lid-prefix", "repo-bad-name"),
      ...unless(text("digits") === "uuid" || folded("lid-prefix") !== "linkid", "digits", "repo-linkid-digits"),
    ],
    drawn: () => (text("digits") === "uuid" ? { version: 4 } : null),
  },
  chosen: {
    scheme: () => "chosen",
    rules: () => ({ pattern: text("pattern"), example: text("example"), folds_case: document.getElementById("folds").checked }),
    prefix: () => folded("free-prefix"),
    capacity: () => say("repo-capacity-pattern"),
    faults: () => [
      ...unless(NAME.test(folded("free-prefix")), "free-prefix", "repo-bad-name"),
      ...unless(text("pattern"), "pattern", "repo-no-pattern"),
      ...unless(text("example"), "example", "repo-no-example"),
    ],
    drawn: () => null,
  },
};

// The field of each member of the rules, for the reasons of the API.
export const RULE_FIELDS = { template: "template", naan: "naan", shoulder: "shoulder", symbols: "symbols", pattern: "pattern", example: "example" };

// The field that has the prefix of each kind.
export const PREFIX_FIELDS = { ark: "shoulder", lui: "organisation", doi: "doi-prefix", handle: "handle-prefix", linkid: "lid-prefix", chosen: "free-prefix" };

export function kindOf(name) {
  return KINDS[name];
}

// Fills in the defaults of the API.
export function fillDefaults() {
  document.getElementById("template").value = RULES.noid.template;
  document.getElementById("symbols").value = RULES.lui.symbols;
  document.getElementById("pattern").value = RULES.chosen.pattern;
  document.getElementById("year").value = new Date().toISOString().slice(0, 7).replace("-", "/");
}

// Returns examples as URLs; those of names that people choose have only the example of the form. Throws an Unfit.
export function examples(name) {
  const kind = KINDS[name];
  const [prefix, wishes] = [kind.prefix(), kind.drawn()];
  const opening = start("", prefix);
  if (!wishes) return [`${base}/${opening}${text("example") || "…"}`];
  const scheme = prefix === "linkid" ? prefix : kind.scheme();
  return draw(scheme, { ...wishes, prefix }, EXAMPLES).map((each) => `${base}/${opening}${each}`);
}

function many(capacity) {
  return capacity === null ? say("repo-capacity-unlimited") : say("repo-capacity", { number: capacity.toLocaleString("en") });
}
