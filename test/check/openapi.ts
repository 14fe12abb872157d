// Generates functions/openapi.json from the routes; with --check, fails if it is stale.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readDocumentation } from "../../functions/build/documentation.ts";
import { loadEndpoints } from "../../functions/routes.ts";
import { buildOpenApiDocument } from "../../lib/http/openapi.ts";

const path = join(import.meta.dirname, "../../functions/openapi.json");
const expected = `${JSON.stringify(buildOpenApiDocument(await loadEndpoints(), await readDocumentation()), null, 1)}\n`;

if (process.argv.includes("--check")) {
  const fresh = (await readFile(path, "utf8").catch(() => "")) === expected;
  console.log(fresh ? "openapi.json is fresh" : "openapi.json is stale: run npm run openapi");
  process.exit(fresh ? 0 : 1);
}
await writeFile(path, expected);
