// `npm run import -- <kind> FILE`: brings in what others collected, one JSON object a line.
import { setTimeout } from "node:timers/promises";
import { connect } from "../lib/db.ts";
import { type Embedder, embedderOf } from "../lib/search/embedder.ts";
import { commandError } from "./command-error.ts";
import { type Kind, runImport } from "./imports/run.ts";
import { videos } from "./imports/videos.ts";
import { viralKind } from "./imports/viral.ts";

// biome-ignore lint/suspicious/noExplicitAny: each kind knows its own lines; the runner only passes them through.
const KINDS: Record<string, () => Kind<any>> = { viral: () => viralKind(embedder(), setTimeout), videos: () => videos };

const USAGE = `Usage: npm run import -- ${Object.keys(KINDS).join("|")} FILE

Needs DATABASE_URL; viral also EMBEDDINGS_URL, EMBEDDINGS_API_KEY and EMBEDDINGS_MODEL, those of the Worker.

FILE holds one JSON object a line; README.md tells the fields. Safe to run again: records are known by platform and
id, and a run that was killed goes on where it was. Refused lines are listed in FILE.refused.txt.`;

const BAR = 20;

function embedder(): Embedder {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: model } = process.env;
  const found = embedderOf({ url, apiKey, model, ai: null, fetch });
  if (!found) throw new Error("Set EMBEDDINGS_URL: posts are found by vectors that a model makes of them.");
  return found;
}

async function main(): Promise<void> {
  const [name = "", file] = process.argv.slice(2);
  const kind = KINDS[name];
  if (!kind || !file) throw new Error(USAGE);
  const { DATABASE_URL, DATABASE_FETCH_URL } = process.env;
  if (!DATABASE_URL) throw new Error("Set DATABASE_URL to the Postgres of the deployment.");
  const db = connect({ DATABASE_URL, DATABASE_FETCH_URL }, "import");
  const { stored, refused } = await runImport(db, kind(), {
    file,
    tell({ lines, refused }, total) {
      const full = Math.round((lines / total) * BAR);
      const line = `[${"#".repeat(full)}${".".repeat(BAR - full)}] ${lines}/${total} lines, ${refused} refused`;
      process.stdout.write(process.stdout.isTTY ? `\r${line}` : `${line}\n`);
    },
  });
  console.log(`\n${stored} stored, ${refused} refused${refused > 0 ? `: see ${file}.refused.txt` : ""}`);
}

main().catch((error: unknown) => {
  console.error(commandError(error));
  process.exit(1);
});
