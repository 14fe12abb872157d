// The fault suite from end to end: runs without faults name the operations, then each is struck in every way.
import type { World } from "../../lib/call.ts";
import type { Driver } from "../../lib/platforms/platform.ts";
import { publisher } from "../harness.ts";
import { mintCases, type Wanted } from "./cases.ts";
import { isForTwins, type Plan, plansOf } from "./faults.ts";
import { type Kind, kindsOf } from "./kinds.ts";
import { type Outside, openOutside } from "./outside.ts";
import { runCases, underOneClock } from "./run.ts";
import { type Judged, judge } from "./verdict.ts";

export interface Options {
  drivers: Driver[];
  /** Which of the possible cases to run. */
  only(kind: Kind, plan: Plan): boolean;
  /** Changes what every publisher lives in. */
  change(base: World): World;
}

export interface Results {
  calm: Judged[];
  faulty: Judged[];
}

export async function strike(options: Options): Promise<Results> {
  const outside = await openOutside();
  try {
    return await underOneClock(() => strikeAll(outside, options));
  } finally {
    await outside.close();
  }
}

async function strikeAll(outside: Outside, { drivers, only, change }: Options): Promise<Results> {
  const base = change(worldIn(outside));
  const run = async (wanted: Wanted[]) => runCases(base, outside, await mintCases(base, outside, wanted));
  const kinds = drivers.flatMap((driver) => kindsOf(driver, outside.media));
  const calm = await run(kinds.map((kind) => ({ kind, plan: null, twin: null })));
  const calmly = await judge(base, outside, calm);
  const second = await judge(base, outside, await run(calm.map((one) => ({ kind: one.kind, plan: null, twin: one }))));
  // A network that refuses the same post twice has no twins.
  const twice = new Set(second.filter(({ verdict }) => verdict === "posted").map(({ running }) => running.kind));
  const wanted = calm.flatMap(({ kind, publisher: { operations } }) =>
    plansOf(operations)
      .filter((plan) => only(kind, plan))
      .map((plan) => ({ kind, plan, twin: null, twinned: twice.has(kind) && isForTwins(plan, operations) })),
  );
  const faulty = await run(wanted);
  const twinned = wanted.filter((one) => one.twinned);
  const before = await run(twinned.map(({ kind }) => ({ kind, plan: null, twin: null })));
  const twins = await run(twinned.map(({ kind, plan }, at) => ({ kind, plan, twin: before[at] ?? null })));
  return { calm: calmly, faulty: await judge(base, outside, [...faulty, ...twins]) };
}

/** A healthy publisher's world: the suite's networks and media, and the clock of this process. */
function worldIn({ networks, media }: Outside): World {
  const { world } = publisher(new Date(), { clock: () => new Date(), nudge: () => undefined, log: () => undefined });
  const { env } = world;
  const here = Object.entries(env.networks).map(([platform, config]) => [
    platform,
    { ...config, baseUrl: `${networks.url}/${platform}` },
  ]);
  const allowedHosts = [...env.allowedHosts, new URL(media.url("")).host];
  return { ...world, env: { ...env, networks: Object.fromEntries(here), allowedHosts } };
}
