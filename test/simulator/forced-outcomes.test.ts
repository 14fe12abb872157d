// Every outcome that a caption can force, at every network, over HTTP by a test key. The guide has what comes of it as tables:
// `UPDATE_GUIDE=1 npm test -- --project node test/simulator/forced-outcomes.test.ts` writes them again.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { NETWORK_NAMES, type NetworkName, OUTCOMES, type Outcome } from "../../lib/simulator/outcomes.ts";
import { type Run, toTables } from "./describe-outcome.ts";
import { type Ending, type Kind, openSetting, reset, runOutcome } from "./run-outcome.ts";

const GUIDE = join(import.meta.dirname, "../../functions/meta/reference/guides/24-forced-outcomes.md");
const NETWORK_MS = 120_000;

/** The content that a network takes. */
const KINDS: Readonly<Partial<Record<NetworkName, readonly Kind[]>>> = {
  ...{ youtube: ["video"], hosted: ["video", "image"] },
  ...{ tiktok: ["video", "image"], instagram: ["video", "image"], pinterest: ["video", "image"] },
};
const listKinds = (network: NetworkName): readonly Kind[] => KINDS[network] ?? ["video", "image", "text"];

/** Bluesky processes the same file once, so the slow video comes first; a connection that has ended stays so. */
const ORDER: readonly Outcome[] = [
  "slow",
  "rejected",
  "rate_limited",
  "outcome_unknown",
  "not_processed",
  "disconnected",
];

/** TikTok names a photo post only in the answer that is lost. */
const isUnknowable = (network: NetworkName, kind: Kind) => network === "tiktok" && kind === "image";

type Expected = (network: NetworkName, kind: Kind) => Partial<Record<keyof Ending, unknown>>;
const FAILED = { status: "failed", message: expect.any(String), seconds: 1 };
const posted = (seconds: number, errors: string[]) => ({ status: "posted", message: null, seconds, errors });

const EXPECTED: Readonly<Record<Outcome, Expected>> = {
  rejected: () => FAILED,
  slow: () => ({ status: "posted", errors: [], seconds: expect.toBeOneOf([1, 700, 1_000]) }),
  rate_limited: () => posted(90, ["http_429"]),
  outcome_unknown: (network, kind) =>
    isUnknowable(network, kind) ? { status: "failed", errors: ["outcome_unknown"] } : posted(90, ["outcome_unknown"]),
  not_processed: (_network, kind) => (kind === "video" ? FAILED : {}),
  disconnected: (network) =>
    network === "hosted"
      ? { ...FAILED, errors: ["account_disconnected"] }
      : { ...FAILED, errors: ["reconnect_required"], events: expect.arrayContaining(["account.disconnected"]) },
};

const runs: Run[] = [];

test.each(NETWORK_NAMES)(
  "%s answers every outcome as its own API does, and the delivery ends accordingly",
  async (network) => {
    const setting = await openSetting();
    for (const outcome of ORDER) {
      // Of a connection that has ended, the first post tells.
      const kinds = outcome === "disconnected" ? listKinds(network).slice(0, 1) : listKinds(network);
      for (const kind of kinds) {
        const ending = await runOutcome(setting, network, kind, `A ${kind} that is ${outcome} [sandbox:${outcome}]`);
        expect(ending, `${outcome} ${kind}`).toMatchObject(EXPECTED[outcome](network, kind));
        expect(ending.events).toContain(ending.status === "posted" ? "post.published" : "post.failed");
        runs.push({ network, outcome, kind, ending });
      }
    }
  },
  NETWORK_MS,
);

test("an outcome of another network forces nothing", async () => {
  const setting = await openSetting();
  const caption = "[sandbox:x=rejected] [sandbox:threads=slow]";
  expect(await runOutcome(setting, "threads", "text", caption)).toMatchObject({ status: "posted", errors: [] });
  expect(await runOutcome(setting, "twitter", "text", caption)).toMatchObject({ status: "failed" });
});

test("a connection that has ended is there again after a reset", async () => {
  const setting = await openSetting();
  const ended = await runOutcome(setting, "facebook", "text", "[sandbox:disconnected]");
  expect(ended).toMatchObject({ status: "failed", errors: ["reconnect_required"] });
  await reset(setting);
  expect(await runOutcome(setting, "facebook", "text", "Hello again")).toMatchObject({ status: "posted" });
});

afterAll(() => {
  const text = readFileSync(GUIDE, "utf8");
  const [intro = ""] = text.split(/^## /m);
  const fresh = `${intro.trimEnd()}\n\n${toTables(runs, OUTCOMES)}\n`;
  if (process.env.UPDATE_GUIDE) writeFileSync(GUIDE, fresh);
  else if (runs.length > 0) expect(text).toBe(fresh);
});
