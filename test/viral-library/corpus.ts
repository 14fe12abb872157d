// A generated viral library in a separate database, and customers who search it.
import { v7 as newId } from "uuid";
import { createViralImport, ViralLine } from "../../functions/commands/import-viral.ts";
import type { Embedder } from "../../lib/ai/embeddings.ts";
import { insertKey, insertOwner, savePlan } from "../../lib/queries/tenants.ts";
import { type Db, openDatabase } from "../../lib/services/database.ts";
import { toApiError } from "../../lib/shared/errors.ts";
import { generateViralPosts, VIRAL_CORPUS, type ViralPostLine } from "../local/corpus/viral.ts";
import { localEmbedder } from "../local/embedding-model.ts";
import type { SeparateDatabase } from "../support/separate-database.ts";

export async function storePosts(
  db: Db,
  lines: ViralPostLine[],
  by: Embedder = localEmbedder,
  onProgress: (stored: number) => void = () => undefined,
): Promise<void> {
  const kind = createViralImport(by, async () => undefined);
  for (let start = 0; start < lines.length; start += kind.linesPerTransaction) {
    const step = lines.slice(start, start + kind.linesPerTransaction).map((line) => ViralLine.parse(line));
    await withRetries(async () => {
      const [first, ...rest] = await kind.store(db, step);
      if (first) await db.batch([first, ...rest]);
    });
    onProgress(start + step.length);
  }
}

const MAX_ATTEMPTS = 4;
const LOG_MS = 10_000;

/** On a busy machine a large statement may exceed the driver's timeout; storing it again is idempotent. */
async function withRetries(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === MAX_ATTEMPTS || toApiError(error)?.code !== "provider_unavailable") throw error;
    }
  }
}

/** Fills a database with generated posts, or with these lines; `createEmbedder` gives their vectors. `log` gets a line now and then. */
export async function openCorpus(
  { database, db, config: address }: SeparateDatabase,
  posts: number | ViralPostLine[],
  createEmbedder = (_: ViralPostLine[]) => localEmbedder,
  log: (line: string) => void = () => undefined,
) {
  const lines = typeof posts === "number" ? [...generateViralPosts({ ...VIRAL_CORPUS, count: posts })] : posts;
  // Building the vector index once is faster than inserting into it.
  const [index] = await database.query<{ indexdef: string }>(
    "select indexdef from pg_indexes where indexname = 'viral_posts_meaning'",
  );
  await database.exec("drop index viral_posts_meaning");
  let loggedAt = Date.now();
  await storePosts(db, lines, createEmbedder(lines), (stored) => {
    if (stored < lines.length && Date.now() - loggedAt < LOG_MS) return;
    loggedAt = Date.now();
    log(`${stored} of ${lines.length} posts stored`);
  });
  log(`building the index of ${lines.length} posts`);
  // The index build must fit in memory, or it takes many times as long.
  await database.exec(`set maintenance_work_mem = '1GB'; ${index?.indexdef}; analyze viral_posts`);
  log(`index of ${lines.length} posts built`);

  /** The key of a new customer. Reopens the database, because the driver sends to the last configured endpoint. */
  async function newCustomer(): Promise<string> {
    const db = openDatabase(address, "library");
    const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Test" });
    await savePlan(db, owner, newId(), { tier: "creator", status: "active", paidUntil: null });
    return insertKey(db, owner, { id: newId(), name: "test", kind: "key", expiresAt: null });
  }

  return { database, db, address, lines, newCustomer, close: () => database.close() };
}
