// Judges pages by html-validate: on standard input lines of JSON, {"name": …, "page": …}; on standard output what is wrong.
import { createInterface } from "node:readline";
import { HtmlValidate, StaticConfigLoader } from "html-validate";

const validator = new HtmlValidate(
  new StaticConfigLoader({
    root: true,
    extends: ["html-validate:recommended", "html-validate:standard", "html-validate:document", "html-validate:a11y"],
    rules: {
      // What a reader may not see is no fault of the markup: lines of templates are as long, and end, as they do.
      "no-trailing-whitespace": "off",
      "long-title": "off", // a title begins with what the thing is called, however long that is
      // `<input required>` and `required=""` are the same; so are void elements with and without a slash.
      "attribute-boolean-style": "off",
      "void-style": "off",
      "no-raw-characters": ["error", { relaxed: true }], // "&" that begins no reference stands for itself (HTML, 13.1.4)
      "no-inline-style": "error", // the policy lets none through
      "doctype-style": ["error", { style: "lowercase" }],
      "require-sri": "off", // every asset is of the service's own origin, which the policy demands
      "script-type": "error",
    },
  }),
);

for await (const line of createInterface({ input: process.stdin })) {
  const { name, page } = JSON.parse(line);
  const report = await validator.validateString(page, name);
  const messages = report.results.flatMap((result) => result.messages);
  for (const { ruleId, message, line: row, column, selector } of messages) {
    process.stdout.write(JSON.stringify({ name, told: `${ruleId}: ${message} (${row}:${column}, ${selector})` }) + "\n");
  }
}
