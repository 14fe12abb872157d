// An import whose database is slow, or fails in between.
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generateObservedVideos } from "../local/corpus/videos.ts";
import { openSeparateDatabase, type SeparateDatabase } from "../support/separate-database.ts";
import { runVideoImport, writeImportFile } from "./import-command.ts";

const END = new Date("2026-06-30T12:00:00.000Z");
/** More than a request of the API waits. */
const SLOW_MS = 4_500;
const COUNT = 1_200;

let folder: string;
let separate: SeparateDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partner-api-slow-import-"));
  separate = await openSeparateDatabase("slow-imports");
});

afterAll(async () => {
  await separate.database.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the import through a proxy of the database that waits, or fails, from the given request on. */
async function runThroughProxy(file: string, { slowFrom = 99, failFrom = 99 }) {
  let requests = 0;
  const proxy = createServer(async (request, response) => {
    const body = await text(request);
    requests += 1;
    if (requests >= failFrom) return response.writeHead(500).end();
    if (requests >= slowFrom) await sleep(SLOW_MS);
    const headers = Object.entries(request.headers).filter(
      ([name]) => name.startsWith("neon-") || name === "x-request-id",
    );
    const result = await fetch(separate.config.DATABASE_FETCH_URL ?? "", {
      method: "POST",
      headers: Object.fromEntries(headers) as Record<string, string>,
      body,
    });
    response.writeHead(result.status, { "Content-Type": "application/json" }).end(await result.text());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const config = { DATABASE_URL: separate.config.DATABASE_URL, DATABASE_FETCH_URL: `http://127.0.0.1:${port}/sql` };
  const result = await runVideoImport(file, config);
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  return result;
}

async function writeVideos(name: string, seed: number): Promise<string> {
  await separate.database.exec("truncate observed_videos, imports");
  return writeImportFile(join(folder, name), [...generateObservedVideos({ count: COUNT, seed, end: END })]);
}

const countStored = async () => (await separate.database.query("select 1 from observed_videos")).length;

test("an import waits for a busy database longer than a request of the API does", async () => {
  const file = await writeVideos("busy.jsonl", 1);
  // The first request reads the progress, the last one stores the last lines.
  const { code, output } = await runThroughProxy(file, { slowFrom: 4 });
  expect([code, output]).toEqual([0, expect.stringContaining(`${COUNT} stored, 0 rejected`)]);
  expect(await countStored()).toBe(COUNT);
});

test("an import that fails says that running it again is safe, and the second run completes it", async () => {
  const file = await writeVideos("again.jsonl", 2);
  const { code, output } = await runThroughProxy(file, { failFrom: 3 });
  expect([code, output]).toEqual([1, expect.stringContaining("Run the same command again")]);
  expect(output).toContain("500/1200 lines");
  expect(await countStored()).toBe(500);
  const again = await runThroughProxy(file, {});
  expect([again.code, again.output]).toEqual([0, expect.stringContaining(`${COUNT} stored, 0 rejected`)]);
  expect(await countStored()).toBe(COUNT);
});
