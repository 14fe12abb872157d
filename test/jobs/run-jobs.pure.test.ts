// Every kind of job gets this from the engine: concurrency, limits, quarantine, and one line of log.
import { expect, test } from "vitest";
import { backoffMs } from "../../lib/jobs/backoff.ts";
import { type JobEnd, type JobKind, runJobs } from "../../lib/jobs/run-jobs.ts";

interface Job {
  id: string;
  claims: number;
}

const DONE: JobEnd = { outcome: "done" };

function createQueue(ids: string[], change: Partial<JobKind<Job>> = {}, claimsById: Record<string, number> = {}) {
  const waiting = [...ids];
  const claimed: number[] = [];
  const log: Record<string, unknown>[] = [];
  let [now, requests, running, most] = [0, 100, 0, 0];
  const kind: JobKind<Job> = {
    name: "test",
    concurrency: 2,
    maxClaims: 100,
    async claim(limit) {
      const jobs = waiting.splice(0, limit).map((id) => ({ id, claims: claimsById[id] ?? 1 }));
      claimed.push(jobs.length);
      return jobs;
    },
    getId: ({ id }) => id,
    countClaims: ({ claims }) => claims,
    run: async () => DONE,
    ...change,
  };
  const run = kind.run;
  kind.run = async (job) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resume) => setTimeout(resume, 2));
    const end = run(job);
    await end.catch(() => undefined);
    running -= 1;
    return end;
  };
  const services = {
    clock: () => new Date(now),
    budget: { countRequest: () => undefined, remainingRequests: () => requests },
    log: (line: Record<string, unknown>) => void log.push(line),
  };
  return {
    ...{ waiting, claimed, log },
    start: () => runJobs(services, kind),
    runningNow: () => running,
    mostAtOnce: () => most,
    advance: (ms: number) => {
      now += ms;
    },
    useUpRequests: () => {
      requests = 0;
    },
  };
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => `job${at}`);
const loggedIds = (log: Record<string, unknown>[]) => log.map(({ id }) => id).toSorted();

test("claims as slots become free, until a claim finds fewer than it asked for", async () => {
  const queue = createQueue(ids(5));
  await queue.start();
  expect(loggedIds(queue.log)).toEqual(ids(5));
  expect(queue.mostAtOnce()).toBe(2);
  expect(queue.claimed.at(0)).toBe(2);
  expect(queue.claimed.reduce((sum, count) => sum + count)).toBe(5);
});

test("a batch is claimed at once, and no more of it runs at a time than may", async () => {
  const queue = createQueue(ids(9), { batch: 6, maxClaims: 6 });
  await queue.start();
  expect([queue.claimed, queue.mostAtOnce(), queue.waiting]).toEqual([[6], 2, ids(9).slice(6)]);
});

test("claims again when a job has made another one due", async () => {
  const queue = createQueue(["first"], {
    async run({ id }) {
      if (id === "first") queue.waiting.push("second");
      return { outcome: "done", hasMadeDue: id === "first" };
    },
  });
  await queue.start();
  expect(loggedIds(queue.log)).toEqual(["first", "second"]);
});

test("claims nothing more once the time or the requests of the invocation are used up", async () => {
  const late = createQueue(ids(6), {
    maxMs: 50,
    async run() {
      late.advance(60);
      return DONE;
    },
  });
  await late.start();
  expect(late.claimed).toEqual([2]);
  const poor = createQueue(ids(6), {
    async run() {
      poor.useUpRequests();
      return DONE;
    },
  });
  await poor.start();
  expect(poor.claimed).toEqual([2]);
});

test("a job that ended workers before runs alone", async () => {
  const beside: Record<string, number> = {};
  const change: Partial<JobKind<Job>> = {
    async run({ id }) {
      beside[id] = queue.runningNow();
      return DONE;
    },
  };
  const queue = createQueue(["calm", "suspect", "other"], { ...change, concurrency: 3 }, { suspect: 3 });
  await queue.start();
  expect(beside).toEqual({ calm: 1, suspect: 1, other: 1 });
});

test("a job that throws is logged and does not disturb the others", async () => {
  const queue = createQueue(ids(3), {
    async run({ id }) {
      if (id === "job1") throw new Error("it broke");
      return id === "job2" ? { outcome: "retry", reason: "busy" } : { outcome: null };
    },
  });
  await queue.start();
  expect(queue.log).toEqual([
    { level: "error", job: "test", id: "job1", outcome: "error", error: expect.anything(), duration_ms: 0 },
    { level: "info", job: "test", id: "job2", outcome: "retry", reason: "busy", duration_ms: 0 },
  ]);
});

test("a claim that fails is thrown after the running jobs have ended", async () => {
  let calls = 0;
  const queue = createQueue([], {
    async claim() {
      calls += 1;
      if (calls === 2) throw new Error("the database is away");
      return [
        { id: "quick", claims: 1 },
        { id: "slow", claims: 1 },
      ];
    },
    async run({ id }) {
      if (id === "slow") await new Promise((resume) => setTimeout(resume, 20));
      return DONE;
    },
  });
  await expect(queue.start()).rejects.toThrow("the database is away");
  expect(loggedIds(queue.log)).toEqual(["quick", "slow"]);
});

test("the backoff doubles up to its limit, and jitter adds a quarter at most", () => {
  expect([1, 2, 3, 9, 20].map((attempt) => backoffMs(attempt, 0) / 1000)).toEqual([15, 30, 60, 3840, 3840]);
  expect(backoffMs(1, 0.999)).toBeLessThanOrEqual(15_000 * 1.25);
  expect(backoffMs(4, 0, { firstMs: 100, mostMs: 500 })).toBe(500);
});
