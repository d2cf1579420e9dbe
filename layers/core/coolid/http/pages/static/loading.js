// Loads documents of this service for checks on a page.
import { NotJson, read } from "./strict.js";
import { base, say } from "./words.js";

const PATIENCE = 30_000; // milliseconds

// A reason why something cannot be checked, as a sentence.
export class Hindrance extends Error {}

// Returns {status, octets} of the answer at a path. Throws Hindrance for another status than these.
export async function octetsAt(path, statuses) {
  let answer, octets;
  const signal = AbortSignal.timeout?.(PATIENCE);
  try {
    answer = await fetch(base + path, { cache: "no-cache", credentials: "omit", redirect: "error", signal });
    octets = new Uint8Array(await answer.arrayBuffer());
  } catch {
    throw new Hindrance(say("verify-silent"));
  }
  if (!statuses.includes(answer.status)) throw new Hindrance(say("verify-refused", { status: answer.status }));
  return { status: answer.status, octets };
}

// Returns a document parsed by strict.js, or null if the service has no public one.
export async function documentAt(path, statuses) {
  const { status, octets } = await octetsAt(path, statuses);
  if (status === 404) return null;
  try {
    return read(octets);
  } catch (error) {
    if (error instanceof NotJson) throw new Hindrance(say("verify-unreadable"));
    throw error;
  }
}
