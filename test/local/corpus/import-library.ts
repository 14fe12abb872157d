// The import of the generated viral posts, and of their pictures.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ImportKind, runImport } from "../../../functions/commands/import-jsonl.ts";
import { createViralImport } from "../../../functions/commands/import-viral.ts";
import type { DatabaseConfig } from "../../../functions/commands/migrate.ts";
import type { Embedder } from "../../../lib/ai/embeddings.ts";
import { openCommandDatabase } from "../../../lib/services/database.ts";
import type { Database } from "../database.ts";
import { writeFileIfAbsent } from "./corpus-file.ts";
import { generateViralPosts, PICTURE_HOST, VIRAL_CORPUS } from "./viral.ts";

const PICTURES_PER_STEP = 100;
const PAUSE_MS = 20;

/** Posts of an older state, embedded by another model, are embedded again. */
export function createLibraryImport(embedder: Embedder) {
  const viralImport = createViralImport(embedder, sleep);
  return { ...viralImport, name: `${viralImport.name}-${embedder.model.replaceAll(/[^\w.-]/g, "-")}` };
}

/** Imports a file of the folder, which is written if it is absent; an import that is complete is not repeated. */
export async function importLines<Line>(
  config: DatabaseConfig,
  kind: ImportKind<Line>,
  folder: string,
  lines: () => Iterable<object>,
): Promise<number> {
  const file = join(folder, `${kind.name}.jsonl`);
  await writeFileIfAbsent(file, lines);
  const { stored } = await runImport(openCommandDatabase(config, "corpus"), kind, {
    file,
    onProgress: () => undefined,
  });
  return stored;
}

export async function importViralLibrary(config: DatabaseConfig, folder: string, embedder: Embedder): Promise<void> {
  await importLines(config, createLibraryImport(embedder), folder, generateLibrary);
}

export const generateLibrary = () => generateViralPosts(VIRAL_CORPUS);

/** Puts pictures of the sample in the place of the generated URLs, which exist nowhere; few at a time, for who uses the database. */
export async function illustrateLibrary(
  query: Database["query"],
  pictures: readonly string[],
  isStopped: () => boolean,
): Promise<void> {
  if (pictures.length === 0) return;
  for (let replaced = PICTURES_PER_STEP; replaced === PICTURES_PER_STEP && !isStopped(); await sleep(PAUSE_MS)) {
    const rows = await query(
      `with chosen as (
         select id, substring(id from '\\d+$')::int as place from viral_posts
         where preview_image_url like $2 limit $3
       )
       update viral_posts set preview_image_url = ($1::text[])[1 + place % $4],
         image_urls = array(select ($1::text[])[1 + (place + slide - 1) % $4] from generate_subscripts(image_urls, 1) slide)
       from chosen where viral_posts.id = chosen.id returning viral_posts.id`,
      [pictures, `${PICTURE_HOST}/%`, PICTURES_PER_STEP, pictures.length],
    );
    replaced = rows.length;
  }
}
