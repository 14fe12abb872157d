// `npm run openapi:compare -- OLD.json NEW.json`: do two OpenAPI documents describe the same API? References are resolved
// and wording and component names ignored; operations, parameters, schemas, statuses, headers and error codes are compared.
// With --compatible: does NEW still have all that a client of OLD relies on?
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { countSurface, listBreaks } from "./openapi-compatibility.ts";
import { listFacts } from "./openapi-facts.ts";

const SHOWN_DIFFERENCES = 100;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { compatible: { type: "boolean" } } });
const [oldFile, newFile] = positionals;
if (!oldFile || !newFile) {
  console.error("Usage: npm run openapi:compare -- [--compatible] OLD.json NEW.json");
  process.exit(2);
}

const before = listFacts(JSON.parse(await readFile(oldFile, "utf8")));
const after = listFacts(JSON.parse(await readFile(newFile, "utf8")));
const differences = values.compatible ? listBreaks(before, after) : listDifferences();
for (const line of differences.slice(0, SHOWN_DIFFERENCES)) console.log(line);
if (differences.length > SHOWN_DIFFERENCES) console.log(`... and ${differences.length - SHOWN_DIFFERENCES} more`);
if (values.compatible) {
  const counts = Object.entries(countSurface(before)).map(([kind, count]) => `${count} ${kind}`);
  console.log(`of ${counts.join(", ")}: ${differences.length} breaks`);
} else {
  const operations = [...before.keys()].filter((path) => path.endsWith("/operationId")).length;
  console.log(
    `${before.size} and ${after.size} facts of ${operations} operations compared, ${differences.length} differ`,
  );
}
process.exit(differences.length > 0 ? 1 : 0);

function listDifferences(): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: ${before.get(path) ?? "absent"} -> ${after.get(path) ?? "absent"}`);
}
