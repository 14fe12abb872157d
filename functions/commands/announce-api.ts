// The last step of `npm run deploy`: tells every scope by an event when the description of the API is another one.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { recordApiDocument } from "../../lib/queries/api-documents.ts";
import { openCommandDatabase } from "../../lib/services/database.ts";
import type { DatabaseConfig } from "./migrate.ts";

const DOCUMENT = join(import.meta.dirname, "../openapi.json");

/** Returns the number of scopes that get the event `api.changed`. */
export function announceApi(config: DatabaseConfig, document = readFileSync(DOCUMENT, "utf8")): Promise<number> {
  const { version } = JSON.parse(document).info;
  const sha256 = createHash("sha256").update(document).digest("hex");
  return recordApiDocument(openCommandDatabase(config, "announce-api"), { version, sha256 }, new Date());
}

if (import.meta.main) {
  const { DATABASE_URL, DATABASE_FETCH_URL } = process.env;
  if (!DATABASE_URL) {
    console.error("Set DATABASE_URL to the Postgres database of the deployment.");
    process.exit(2);
  }
  const scopes = await announceApi({ DATABASE_URL, DATABASE_FETCH_URL });
  console.log(
    scopes > 0 ? `The API has changed: ${scopes} scopes get the event api.changed.` : "The API is described as before.",
  );
}
