// Writes functions/openapi.json from the routes, or with --check says whether it is fresh.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadAll } from "../../functions/routes.ts";
import { buildDocument } from "../../lib/openapi.ts";

const path = join(import.meta.dirname, "../../functions/openapi.json");
const wanted = `${JSON.stringify(buildDocument(await loadAll()), null, 2)}\n`;

if (process.argv.includes("--check")) {
  const fresh = (await readFile(path, "utf8").catch(() => "")) === wanted;
  console.log(fresh ? "openapi.json is fresh" : "openapi.json is stale: run npm run openapi");
  process.exit(fresh ? 0 : 1);
}
await writeFile(path, wanted);
