// `npm run import -- <kind> FILE`: imports collected records, one JSON object per line.
import { access } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { createEmbedder, type Embedder } from "../../lib/ai/embeddings.ts";
import { openCommandDatabase } from "../../lib/services/database.ts";
import { formatCommandError } from "./format-command-error.ts";
import { type ImportKind, runImport } from "./import-jsonl.ts";
import { videosImport } from "./import-videos.ts";
import { createViralImport } from "./import-viral.ts";

// biome-ignore lint/suspicious/noExplicitAny: each kind has its own type of line; the runner only passes lines through.
const IMPORTS: Record<string, () => ImportKind<any>> = {
  viral: () => createViralImport(requireEmbedder(), setTimeout),
  videos: () => videosImport,
};

const USAGE = `Usage: npm run import -- ${Object.keys(IMPORTS).join("|")} FILE

Needs DATABASE_URL; viral also EMBEDDINGS_URL, EMBEDDINGS_API_KEY and EMBEDDINGS_MODEL, those of the Worker.

FILE holds one JSON object per line; README.md documents the fields. Safe to run again: records are identified by
platform and id, and an interrupted run resumes. Rejected lines are listed in FILE.refused.txt.`;

const BAR_WIDTH = 20;
/** Equal to the timeout of a statement of a command: no caller waits, and a self-hosted model can be slow. */
const EMBEDDING_TIMEOUT_MS = 120_000;

/** Each transaction stores its lines with the progress, and a record replaces the one with its id. */
const RUN_AGAIN =
  "Stored lines stay stored. Run the same command again: it goes on after them, and stores nothing twice.";

function requireEmbedder(): Embedder {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: model } = process.env;
  const found = createEmbedder({ url, apiKey, model, ai: null, fetch, timeoutMs: EMBEDDING_TIMEOUT_MS });
  if (!found) throw new Error("Set EMBEDDINGS_URL: the import embeds each post for semantic search.");
  return found;
}

async function main(): Promise<void> {
  const [name = "", file] = process.argv.slice(2);
  const kind = Object.hasOwn(IMPORTS, name) ? IMPORTS[name] : undefined;
  if (!kind || !file) throw new Error(USAGE);
  const { DATABASE_URL, DATABASE_FETCH_URL } = process.env;
  if (!DATABASE_URL) throw new Error("Set DATABASE_URL to the Postgres of the deployment.");
  await access(file);
  const db = openCommandDatabase({ DATABASE_URL, DATABASE_FETCH_URL }, "import");
  const result = await runImport(db, kind(), {
    file,
    onProgress({ lines, rejected }, total) {
      const full = Math.round((lines / total) * BAR_WIDTH);
      const line = `[${"#".repeat(full)}${".".repeat(BAR_WIDTH - full)}] ${lines}/${total} lines, ${rejected} rejected`;
      process.stdout.write(process.stdout.isTTY ? `\r${line}` : `${line}\n`);
    },
  }).catch((error: unknown) => {
    throw new Error(`${formatCommandError(error)}\n${RUN_AGAIN}`);
  });
  const { stored, rejected } = result;
  console.log(`\n${stored} stored, ${rejected} rejected${rejected > 0 ? `: see ${file}.refused.txt` : ""}`);
}

main().catch((error: unknown) => {
  console.error(formatCommandError(error));
  process.exit(1);
});
