// What strict.js and proof.js say of texts, whose octets come in base64. Called by tests/http/pages/test_proof_scripts.py in a
// folder with copies of the scripts.
import { canonical } from "./canonical.js";
import { verify } from "./proof.js";
import { read } from "./strict.js";

const said = (text) => read(new Uint8Array(Buffer.from(text, "base64")));

export function form(text) {
  return canonical(said(text).value);
}

export async function verdict(document, keys, older, pid) {
  const told = await verify(said(document), said(keys).value, older.map(said), { pid: pid ?? undefined });
  return { ok: told.ok, complete: told.complete, checks: told.checks };
}
