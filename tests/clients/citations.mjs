// Prints the citations that citeproc-js writes: node citations.mjs WORKS STYLES-FOLDER LOCALES-FOLDER LOCALE,…
import CSL from "citeproc";
import { readdirSync, readFileSync } from "node:fs";

const [works, styles, locales, names] = process.argv.slice(2);
const items = Object.fromEntries(JSON.parse(readFileSync(works, "utf8")).map((each) => [each.id, each]));
const read = (path) => readFileSync(path, "utf8");
const system = {
  retrieveItem: (id) => items[id],
  retrieveLocale: (name) => read(`${locales}/locales-${name}.xml`),
};
const citations = {};
for (const file of readdirSync(styles).filter((each) => each.endsWith(".csl")).sort()) {
  for (const locale of names.split(",")) {
    const engine = new CSL.Engine(system, read(`${styles}/${file}`), locale, true);
    engine.setOutputFormat("text");
    for (const id of Object.keys(items)) {
      engine.updateItems([id]);
      const text = engine.makeBibliography()[1].join("").replace(/\s+/g, " ").trim();
      (citations[file.replace(".csl", "")] ??= {})[`${id} ${locale}`] = text;
    }
  }
}
process.stdout.write(JSON.stringify(citations, null, 1) + "\n");
