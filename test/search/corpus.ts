// The made-up viral library in a database of its own, and customers who may search it.
import { v7 as newId } from "uuid";
import { ViralLine, viralKind } from "../../drizzle/imports/viral.ts";
import { migrate } from "../../drizzle/migrate.ts";
import { connect, type Db } from "../../lib/db.ts";
import { refusalOf } from "../../lib/errors.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import type { Embedder } from "../../lib/search/embedder.ts";
import { createCalls } from "../local/calls.ts";
import { type ViralPostLine, viralPosts } from "../local/corpus/viral.ts";
import { startDatabase } from "../local/database.ts";
import { localMeaning } from "../local/embeddings.ts";

/** The local model without its HTTP. */
export const embedder: Embedder = {
  model: "local",
  embed: async (texts) => texts.map((text) => localMeaning().vectorOf(text)),
};

export async function store(db: Db, lines: ViralPostLine[], by: Embedder = embedder): Promise<void> {
  const kind = viralKind(by, async () => undefined);
  for (let start = 0; start < lines.length; start += kind.linesPerStep) {
    const step = lines.slice(start, start + kind.linesPerStep).map((line) => ViralLine.parse(line));
    await patiently(async () => {
      const [first, ...rest] = await kind.store(db, step);
      if (first) await db.batch([first, ...rest]);
    });
  }
}

const TRIES = 4;

/** On a busy machine a large step may take longer than the service waits; storing it again changes nothing. */
async function patiently(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES || refusalOf(error)?.code !== "provider_unavailable") throw error;
    }
  }
}

export async function openCorpus(count: number) {
  const database = await startDatabase({ calls: createCalls() });
  const address = { DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl };
  await migrate(address);
  const db = connect(address, "library");
  const lines = [...viralPosts({ count, seed: 1 })];
  // Building the index of vectors once is faster than finding each row its place.
  const [index] = await database.query<{ indexdef: string }>(
    "select indexdef from pg_indexes where indexname = 'viral_posts_meaning'",
  );
  await database.exec("drop index viral_posts_meaning");
  await store(db, lines);
  // In memory as a whole, or it takes many times as long.
  await database.exec(`set maintenance_work_mem = '1GB'; ${index?.indexdef}; analyze viral_posts`);

  /** The key of a new customer. Connected anew, since the driver sends to the address it was told last. */
  async function newCustomer(): Promise<string> {
    const db = connect(address, "library");
    const owner = await tenants.createOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Test" });
    await tenants.setPlan(db, owner, newId(), { tier: "creator", status: "active", paidUntil: null });
    return tenants.createKey(db, owner, { id: newId(), name: "test", kind: "key", expiresAt: null });
  }

  return { database, db, address, lines, newCustomer, close: () => database.close() };
}
