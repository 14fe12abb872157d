// Fills the library and the observations of the local world while it is already being used; a stopped load goes on at the next start.
import { access, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Kind, runImport } from "../../../drizzle/imports/run.ts";
import { videos } from "../../../drizzle/imports/videos.ts";
import { viralKind } from "../../../drizzle/imports/viral.ts";
import type { DatabaseAddress } from "../../../drizzle/migrate.ts";
import { connect } from "../../../lib/db.ts";
import { DIMENSIONS, type Embedder } from "../../../lib/search/embedder.ts";
import { localMeaning } from "../embeddings.ts";
import { observedVideos } from "./videos.ts";
import { viralPosts } from "./viral.ts";

const VIRAL = { count: 3_000, seed: 1 };
const VIDEOS = { count: 20_000, seed: 1 };
/** Others want the database, too: a step keeps them waiting a fraction of a second, and a pause lets them in. */
const LINES_PER_STEP = 10;
const PAUSE_MS = 20;

const embedder: Embedder = {
  model: "local",
  embed: async (texts) => texts.map((text) => localMeaning().vectorOf(text)),
};

export interface Loading {
  stop(): Promise<void>;
}

export function loadCorpus(address: DatabaseAddress, folder: string, say: (line: string) => void): Loading {
  let stopped = false;
  const db = connect(address, "corpus");

  async function load<Line>(
    kind: Kind<Line>,
    what: string,
    lines: () => Iterable<object>,
    linesPerStep = kind.linesPerStep,
  ): Promise<void> {
    const file = join(folder, `${kind.name}.jsonl`);
    await once(file, lines);
    const pausing: Kind<Line> = {
      ...kind,
      linesPerStep,
      async store(on, some) {
        if (stopped) throw new Error("the world is being closed");
        await sleep(PAUSE_MS);
        return kind.store(on, some);
      },
    };
    const before = Date.now();
    const { stored } = await runImport(db, pausing, { file, tell: () => undefined });
    if (Date.now() - before > 1000) say(`${stored} ${what} are loaded`);
  }

  const work = (async () => {
    await mkdir(folder, { recursive: true });
    await load(videos, "observed videos", () => observedVideos({ ...VIDEOS, end: new Date() }));
    if (await hasVectors(address))
      await load(viralKind(embedder, sleep), "viral posts", () => viralPosts(VIRAL), LINES_PER_STEP);
    else say(`no viral posts: this Postgres has no pgvector for their vectors of ${DIMENSIONS}`);
  })().catch((error: Error) => {
    if (!stopped) console.error(`The corpus was not loaded: ${error.message}`);
  });

  return {
    async stop() {
      stopped = true;
      await work;
    },
  };
}

/** Written whole or not at all: a load knows its file by its content. */
async function once(file: string, lines: () => Iterable<object>): Promise<void> {
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (there) return;
  await writeFile(`${file}.part`, [...lines()].map((line) => `${JSON.stringify(line)}\n`).join(""));
  await rename(`${file}.part`, file);
}

async function hasVectors(address: DatabaseAddress): Promise<boolean> {
  const found = await connect(address, "corpus").execute(
    "select from information_schema.columns where table_name = 'viral_posts' and column_name = 'embedding'",
  );
  return found.rows.length > 0;
}
