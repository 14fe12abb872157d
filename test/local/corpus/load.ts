// Imports the generated viral posts and observed videos in the background; an interrupted import resumes at the next start.
import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { ImportKind } from "../../../functions/commands/import-jsonl.ts";
import { videosImport } from "../../../functions/commands/import-videos.ts";
import type { DatabaseConfig } from "../../../functions/commands/migrate.ts";
import { DIMENSIONS, type Embedder } from "../../../lib/ai/embeddings.ts";
import { openCommandDatabase } from "../../../lib/services/database.ts";
import type { Database } from "../database.ts";
import { createLibraryImport, generateLibrary, illustrateLibrary, importLines } from "./import-library.ts";
import { generateObservedVideos } from "./videos.ts";

const VIDEO_CORPUS = { count: 20_000, seed: 1 };
/** PGlite has one connection: small steps with pauses keep the database available to others. */
const LINES_PER_STEP = 10;
const PAUSE_MS = 20;
/** A statement that ran out of time on a busy machine is no reason to stop. */
const PAUSES_AFTER_ERRORS_S = [1, 2, 5, 10, 30, 60, 60, 60];

export interface CorpusLoad {
  stop(): Promise<void>;
}

export function loadCorpus(
  config: DatabaseConfig,
  query: Database["query"],
  folder: string,
  embedder: Embedder,
  /** In the place of the pictures of the viral posts, which exist nowhere; none leaves those. */
  pictures: readonly string[],
  log: (line: string) => void,
): CorpusLoad {
  let stopped = false;
  async function load<Line>(
    kind: ImportKind<Line>,
    what: string,
    lines: () => Iterable<object>,
    linesPerStep = kind.linesPerTransaction,
  ): Promise<void> {
    const pausingKind: ImportKind<Line> = {
      ...kind,
      linesPerTransaction: linesPerStep,
      async store(db, lines) {
        if (stopped) throw new Error("the local stack is closing");
        await sleep(PAUSE_MS);
        return kind.store(db, lines);
      },
    };
    const before = Date.now();
    const stored = await resumeAfterErrors(
      () => importLines(config, pausingKind, folder, lines),
      (error, seconds) => {
        if (stopped) throw error;
        log(`loading the ${what} was interrupted (${error.message}) and goes on in ${seconds} s`);
      },
    );
    if (Date.now() - before > 1000) log(`${stored} ${what} loaded`);
  }

  const work = (async () => {
    await mkdir(folder, { recursive: true });
    // First those of a template, which are there already.
    await illustrateLibrary(query, pictures, () => stopped);
    await load(videosImport, "observed videos", () => generateObservedVideos({ ...VIDEO_CORPUS, end: new Date() }));
    if (await hasVectorColumn(config)) {
      await load(createLibraryImport(embedder), "viral posts", generateLibrary, LINES_PER_STEP);
      await illustrateLibrary(query, pictures, () => stopped);
    } else log(`no viral posts: this Postgres has no pgvector for their embeddings of ${DIMENSIONS} dimensions`);
  })().catch((error: Error) => {
    if (!stopped) log(`the sample data is incomplete, the next start goes on with it: ${error.message}`);
  });

  return {
    async stop() {
      stopped = true;
      await work;
    },
  };
}

/**
 * Repeats an import, which resumes after the last transaction that it stored. `onError` is called before each pause, with its
 * length in seconds; the error of the last attempt is thrown.
 */
export async function resumeAfterErrors<Result>(
  attempt: () => Promise<Result>,
  onError: (error: Error, seconds: number) => void,
  pauses: readonly number[] = PAUSES_AFTER_ERRORS_S,
): Promise<Result> {
  for (const seconds of pauses) {
    try {
      return await attempt();
    } catch (error) {
      onError(error as Error, seconds);
      await sleep(seconds * 1000);
    }
  }
  return attempt();
}

async function hasVectorColumn(config: DatabaseConfig): Promise<boolean> {
  const result = await openCommandDatabase(config, "corpus").execute(
    "select from information_schema.columns where table_name = 'viral_posts' and column_name = 'embedding'",
  );
  return result.rows.length > 0;
}
