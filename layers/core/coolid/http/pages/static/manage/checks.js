// Checks of single records on request, and the states of addresses in words.
import { say } from "../words.js";
import { call } from "./api.js";
import { element, time } from "./dom.js";

const CHECKS = "/api/v1/checks";
const STATES = ["up", "degraded", "down"];
const SECONDS = [1, 2, 2, 3, 4, 6, 8, 12, 20]; // between two looks at the result, about a minute in all

const isFit = (document) => Array.isArray(document?.checks);

// Requests a check and waits for its result. Returns {checks, isDone}: whether each address was checked in time.
export async function checkNow(pid) {
  let { document } = await call("POST", CHECKS, { body: { pid }, isFit });
  const { requested, pid: canonical } = document;
  for (const seconds of SECONDS) {
    if (isChecked(document.checks, requested)) break;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    ({ document } = await call("GET", `${CHECKS}/${encodeURIComponent(canonical)}`, { isFit }));
  }
  return { checks: document.checks, isDone: isChecked(document.checks, requested) };
}

function isChecked(checks, requested) {
  return checks.every(({ lastChecked }) => lastChecked !== null && lastChecked >= requested);
}

// Returns the state of an address in words: what it is, since when, and why.
export function stateOf({ state, moved }) {
  const known = STATES.includes(state) ? say(`state-${state}`) : say("state-unchecked");
  return moved && state === "up" ? say("state-moved") : known;
}

// Returns the evidence for the state of an address.
export function evidence({ state, since, reason, lastGood, lastChecked, pausedUntil }) {
  const facts = [
    state && state !== "up" && [say("links-since"), time(since)],
    reason && [say("links-reason"), reason],
    state !== "up" && lastGood && [say("links-good"), time(lastGood)],
    lastChecked && [say("links-checked"), time(lastChecked)],
    pausedUntil && [say("links-paused"), time(pausedUntil)],
  ];
  return facts.filter(Boolean).map(([name, value]) => element("span", { class: "fact" }, `${name}: `, value));
}
