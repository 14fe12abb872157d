// Scenarios of the section due-at-once: each creates accounts and due posts, and ends when all are published.
import type { BenchDatabase } from "./bench-database.ts";
import { createAccounts, createDuePosts } from "./due-accounts.ts";
import type { ModelledRun } from "./modelled-consumers.ts";
import type { VirtualClock } from "./virtual-clock.ts";

const MIB = 1024 * 1024;
export const DELIVERIES_PER_ACCOUNT = 5;
const BUSY_ACCOUNTS = 1_001;
/** Of the model. */
const TIMEOUT_MS = 60 * 60_000;
/** The lease of accounts that cannot be served. */
export const BUSY_TOKEN = "00000000-0000-4000-8000-000000000016";

export interface Scenario {
  name: string;
  deliveries: number;
  /** The accounts whose lateness is measured. */
  measuredAccounts: string[];
  seconds: number;
  /** False if the time is over before all is published. */
  ended: boolean;
}

export interface ScenarioRun extends ModelledRun {
  clock: VirtualClock;
  isDrained: () => Promise<boolean>;
}

export async function runBurst(bench: BenchDatabase, run: ScenarioRun, deliveries: number) {
  const accounts = await createAccounts(bench, "twitter", Math.ceil(deliveries / DELIVERIES_PER_ACCOUNT));
  const from = new Date(run.clock.now() + 1_000);
  const due = [from, new Date(from.getTime() + 1_000)] as const;
  const ids = await createDuePosts(bench, accounts, { count: deliveries, due, label: "Burst" });
  await bench.database.exec("analyze");
  await run.clock.sleep(from.getTime() - run.clock.now());
  const began = run.clock.now();
  run.enqueue(ids);
  const ended = await drain(run);
  return {
    name: `${deliveries} posts due in one second on ${accounts.accountIds.length} accounts`,
    deliveries,
    measuredAccounts: accounts.accountIds,
    seconds: (run.clock.now() - began) / 1000,
    ended,
  };
}

/** Waits until all is published, with a sweep each minute. */
async function drain(run: ScenarioRun): Promise<boolean> {
  let isOver = false;
  const sweep = async () => {
    while (!isOver) {
      await run.clock.sleep(60_000);
      if (!isOver) await run.runSweep();
    }
  };
  void sweep();
  try {
    return await run.waitUntil(run.isDrained, TIMEOUT_MS);
  } finally {
    isOver = true;
  }
}

export async function runStream(bench: BenchDatabase, run: ScenarioRun, perSecond: number, seconds: number) {
  const deliveries = perSecond * seconds;
  const accounts = await createAccounts(bench, "twitter", deliveries);
  const from = new Date(run.clock.now() + 1_000);
  const due = [from, new Date(from.getTime() + seconds * 1000)] as const;
  const ids = await createDuePosts(bench, accounts, { count: deliveries, due, label: "Stream" });
  await bench.database.exec("analyze");
  await run.clock.sleep(from.getTime() - run.clock.now());
  const began = run.clock.now();
  for (let sent = 0; sent < deliveries; ) {
    const reached = Math.min(deliveries, Math.floor(((run.clock.now() - from.getTime()) / 1000) * perSecond));
    run.enqueue(ids.slice(sent, reached));
    sent = Math.max(sent, reached);
    await run.clock.sleep(20);
  }
  const ended = await drain(run);
  return {
    name: `${perSecond} posts a second for ${seconds} s`,
    deliveries,
    measuredAccounts: accounts.accountIds,
    seconds: (run.clock.now() - began) / 1000,
    ended,
  };
}

export async function runPaced(bench: BenchDatabase, run: ScenarioRun, count: number, paceMs: number) {
  const accounts = await createAccounts(bench, "twitter", 1);
  const from = new Date(run.clock.now() + 500);
  const due = [from, new Date(from.getTime() + count * paceMs)] as const;
  const ids = await createDuePosts(bench, accounts, { count, due, label: "Paced" });
  const began = run.clock.now();
  for (const [at, id] of ids.entries()) {
    await run.clock.sleep(from.getTime() + at * paceMs - run.clock.now());
    run.enqueue([id]);
  }
  const ended = await drain(run);
  return {
    name: `${count} posts of one account ${paceMs / 1000} s apart`,
    deliveries: count,
    measuredAccounts: accounts.accountIds,
    seconds: (run.clock.now() - began) / 1000,
    ended,
  };
}

/** The message of one due post was lost, and the accounts of another customer cannot be served; the sweep finds it. */
export async function runBusyNeighbours(bench: BenchDatabase, run: ScenarioRun) {
  const { database } = bench;
  const past = [new Date(run.clock.now() - 60_000), new Date(run.clock.now() - 50_000)] as const;
  const busy = await createAccounts(bench, "twitter", BUSY_ACCOUNTS);
  await createDuePosts(bench, busy, { count: BUSY_ACCOUNTS * DELIVERIES_PER_ACCOUNT, due: past, label: "Busy" });
  await database.query(
    `with held as (update accounts set lease_token = $1::uuid, lease_until = now() + interval '10 hours'
        where id = any($2::uuid[]))
      update post_deliveries set lease_token = $1::uuid, lease_until = now() + interval '10 hours' where account_id = any($2::uuid[])`,
    [BUSY_TOKEN, busy.accountIds],
  );
  const accounts = await createAccounts(bench, "twitter", 1);
  const now = new Date(run.clock.now());
  await createDuePosts(bench, accounts, { count: 1, due: [now, now], label: "Lost message" });
  await database.exec("analyze");
  const began = run.clock.now();
  await run.runSweep();
  const ended = await run.waitUntil(run.isDrained, TIMEOUT_MS);
  return {
    name: `a lost message beside ${BUSY_ACCOUNTS} busy accounts, from the sweep on`,
    deliveries: 1,
    measuredAccounts: accounts.accountIds,
    seconds: (run.clock.now() - began) / 1000,
    ended,
  };
}

interface UploadSize {
  uploads: number;
  uploadBytes: number;
  texts: number;
}

export async function runBesideUploads(bench: BenchDatabase, run: ScenarioRun, size: UploadSize) {
  const { uploads, uploadBytes, texts } = size;
  const videos = await createAccounts(bench, "tiktok", uploads);
  const accounts = await createAccounts(bench, "twitter", texts);
  const from = new Date(run.clock.now() + 1_000);
  const due = [from, from] as const;
  const uploadIds = await createDuePosts(bench, videos, { count: uploads, due, label: "Upload" });
  const ids = await createDuePosts(bench, accounts, { count: texts, due, label: "Text" });
  await bench.database.query(
    `update posts set media = jsonb_build_object('type', 'video', 'url', 'https://media.example.com/a.mp4?size=' || $1,
      'bytes', $1::bigint, 'duration_seconds', 60, 'mime_type', 'video/mp4')
      where id in (select post_id from post_deliveries where account_id = any($2::uuid[]))`,
    [String(uploadBytes), videos.accountIds],
  );
  await bench.database.exec("analyze");
  await run.clock.sleep(from.getTime() - run.clock.now());
  const began = run.clock.now();
  // One message for all, as the sweep sends them: what belongs together is for the service to decide.
  await run.runSweep();
  run.enqueue([...uploadIds, ...ids]);
  const ended = await drain(run);
  return {
    name: `${texts} text posts beside ${uploads} uploads of ${Math.round(uploadBytes / MIB)} MiB`,
    deliveries: uploads + texts,
    measuredAccounts: accounts.accountIds,
    seconds: (run.clock.now() - began) / 1000,
    ended,
  };
}
