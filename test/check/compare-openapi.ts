// `npm run openapi -- --compare OLD.json NEW.json` compares the facts of two OpenAPI documents: operations, parameters, schemas,
// statuses, headers and error codes, not wording or component names. --compatible lists facts that a client of OLD would miss.
import { readFile } from "node:fs/promises";
import { countSurface, listBreaks } from "./openapi-compatibility.ts";
import { listFacts } from "./openapi-facts.ts";

const SHOWN_DIFFERENCES = 100;

/** Prints what differs, and returns whether nothing does. */
export async function compareDocuments(oldFile: string, newFile: string, isCompatible: boolean): Promise<boolean> {
  const before = listFacts(JSON.parse(await readFile(oldFile, "utf8")));
  const after = listFacts(JSON.parse(await readFile(newFile, "utf8")));
  const differences = isCompatible ? listBreaks(before, after) : listDifferences(before, after);
  for (const line of differences.slice(0, SHOWN_DIFFERENCES)) console.log(line);
  if (differences.length > SHOWN_DIFFERENCES) console.log(`... and ${differences.length - SHOWN_DIFFERENCES} more`);
  const counts = Object.entries(countSurface(before)).map(([kind, count]) => `${count} ${kind}`);
  const operations = [...before.keys()].filter((path) => path.endsWith("/operationId")).length;
  console.log(
    isCompatible
      ? `of ${counts.join(", ")}: ${differences.length} breaks`
      : `${before.size} and ${after.size} facts of ${operations} operations compared, ${differences.length} differ`,
  );
  return differences.length === 0;
}

function listDifferences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: ${before.get(path) ?? "absent"} -> ${after.get(path) ?? "absent"}`);
}
