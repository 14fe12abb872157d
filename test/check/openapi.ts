// `npm run openapi` generates functions/openapi.json and the pictures of deliveries; --check fails if one is stale. --examples
// sends and records all requests of the reference first; --compare [--compatible] OLD.json NEW.json compares documents.
import { execSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readDocumentation } from "../../functions/build/documentation.ts";
import { loadEndpoints } from "../../functions/routes.ts";
import { buildOpenApiDocument } from "../../lib/http/openapi.ts";
import { EVENT_OBJECTS } from "../../lib/schemas/event-objects.ts";
import { compareDocuments } from "./compare-openapi.ts";
import { updateDeliveryPictures } from "./delivery-pictures.ts";

const path = join(import.meta.dirname, "../../functions/openapi.json");
const flag = { type: "boolean", default: false } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: flag, examples: flag, compare: flag, compatible: flag },
});

if (values.compare) {
  const [oldFile, newFile] = positionals;
  if (!oldFile || !newFile) {
    console.error("Usage: npm run openapi -- --compare [--compatible] OLD.json NEW.json");
    process.exit(2);
  }
  process.exit((await compareDocuments(oldFile, newFile, values.compatible)) ? 0 : 1);
}
if (values.examples) {
  const run = (command: string) =>
    execSync(command, { stdio: "inherit", env: { ...process.env, UPDATE_EXAMPLES: "1" } });
  run(
    "vitest run -c test/vitest.config.ts --project node test/reference/examples.test.ts test/events/catalogue.test.ts",
  );
  run("biome format --config-path .biome.json --write functions/meta/reference");
}
const document = buildOpenApiDocument(await loadEndpoints(), await readDocumentation(), EVENT_OBJECTS);
const expected = `${JSON.stringify(document, null, 1)}\n`;
const stalePictures = await updateDeliveryPictures({ check: values.check });
if (values.check) {
  const isFresh = (await readFile(path, "utf8").catch(() => "")) === expected;
  const stale = [...(isFresh ? [] : ["functions/openapi.json"]), ...stalePictures];
  console.log(
    stale.length ? `${stale.join(", ")}: stale, run npm run openapi` : "openapi.json and the pictures are fresh",
  );
  process.exit(stale.length ? 1 : 0);
}
await writeFile(path, expected);
