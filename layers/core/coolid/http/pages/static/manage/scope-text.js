// What a scope of a key allows, in words: mint:PREFIX, update:PREFIX, watch:PREFIX or admin.
import { say } from "../words.js";

const VERBS = ["mint", "update", "watch"];

export function scopeText(scope) {
  const verb = scope.split(":", 1)[0];
  const known = VERBS.includes(verb) ? `scope-${verb}` : "scope-other";
  return scope === "admin" ? say("scope-admin") : say(known, { prefix: scope.slice(verb.length + 1), scope });
}
