// Sentences about jobs, for the list and for the page of one.
import { base, say } from "../words.js";
import { element } from "./dom.js";

const ENDED = ["done", "cancelled", "failed"];

// Returns whether a document has the members of a job that pages rely on.
export function isJob(job) {
  return [job?.id, job?.operation, job?.state].every((each) => typeof each === "string") && typeof job.counts === "object";
}

export function isEnded({ state }) {
  return ENDED.includes(state);
}

// Returns what the job does: an operation of the service, or a retarget by a rule.
export function operationName({ operation, rule }) {
  return say(`operation-${rule ? "move" : operation}`);
}

export function stateName({ state }) {
  return say(`state-${state}`);
}

// Returns the number of rows that are done in the present phase, and of all: [done, all]; all is null while unknown.
export function progressOf({ state, counts, rows }) {
  const { valid = 0, invalid = 0, succeeded = 0, refused = 0 } = counts;
  return [state === "validating" ? valid + invalid : succeeded + refused, rows ?? null];
}

// Returns one sentence: how far the job is, or what came of it.
export function summary(job) {
  const [done, rows] = progressOf(job);
  const { valid = 0, invalid = 0, succeeded = 0, refused = 0 } = job.counts;
  const numbers = { done, rows, valid, invalid, succeeded, refused };
  for (const [name, number] of Object.entries(numbers)) numbers[name] = (number ?? 0).toLocaleString("en");
  if (job.state === "previewed") return say(invalid ? "summary-previewed-wrong" : "summary-previewed", numbers);
  if (job.state === "failed") return say("summary-failed", { why: job.failure ?? "", ...numbers });
  if (isEnded(job)) return say(refused ? "summary-ended-refused" : "summary-ended", numbers);
  return say(rows === null ? `summary-${job.state}-unknown` : `summary-${job.state}`, numbers);
}

export function jobLink(job, content) {
  return element("a", { href: `${base}/pages/manage/job#${encodeURIComponent(job.id)}` }, content);
}
