// Calls functions of the pages' scripts: standard input has a list of calls a line, [module, function, ...given] each;
// standard output has the list of what they gave back. Integers are {"$int": "…"}, since they may be great. Run by
// tests/http/pages/script_calls.py in a folder with copies of the scripts.
import { webcrypto } from "node:crypto";
import { createInterface } from "node:readline";

globalThis.crypto ??= webcrypto; // Node 18 has it there alone

const come = (_, each) => (each?.$int ? BigInt(each.$int) : each);
const sent = (_, each) => (typeof each === "bigint" ? { $int: String(each) } : each);

async function answer([module, name, ...given]) {
  try {
    return { value: await (await import(`./${module}.js`))[name](...given) };
  } catch (error) {
    return { refused: error.key ?? error.constructor.name };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answers = [];
  for (const call of JSON.parse(line, come)) answers.push(await answer(call));
  process.stdout.write(`${JSON.stringify(answers, sent)}\n`);
}
