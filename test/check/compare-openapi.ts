// `npm run openapi:compare -- OLD.json NEW.json`: do two OpenAPI documents describe the same API? References are resolved
// and wording and component names ignored; operations, parameters, schemas, statuses, headers and error codes are compared.
import { readFile } from "node:fs/promises";
import { listFacts } from "./openapi-facts.ts";

const SHOWN_DIFFERENCES = 100;

const [oldFile, newFile] = process.argv.slice(2);
if (!oldFile || !newFile) {
  console.error("Usage: npm run openapi:compare -- OLD.json NEW.json");
  process.exit(2);
}

const before = listFacts(JSON.parse(await readFile(oldFile, "utf8")));
const after = listFacts(JSON.parse(await readFile(newFile, "utf8")));
const differences = [...new Set([...before.keys(), ...after.keys()])]
  .filter((path) => before.get(path) !== after.get(path))
  .map((path) => `${path}: ${before.get(path) ?? "absent"} -> ${after.get(path) ?? "absent"}`);
for (const line of differences.slice(0, SHOWN_DIFFERENCES)) console.log(line);
if (differences.length > SHOWN_DIFFERENCES) console.log(`... and ${differences.length - SHOWN_DIFFERENCES} more`);
const operations = [...before.keys()].filter((path) => path.endsWith("/operationId")).length;
console.log(
  `${before.size} and ${after.size} facts of ${operations} operations compared, ${differences.length} differ`,
);
process.exit(differences.length > 0 ? 1 : 0);
