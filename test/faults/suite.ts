// The fault suite: runs without faults to record the operations, then injects every fault into each of them.
import { v7 as newId } from "uuid";
import type { Driver } from "../../lib/platforms/platform.ts";
import type { Services } from "../../lib/services/context.ts";
import type { Timing } from "../local/networks/server.ts";
import type { MediaHost } from "../platforms/media-host.ts";
import { createTestPublisher } from "../support/harness.ts";
import { type CaseRequest, createCaseTenant, mintCases } from "./cases.ts";
import { type ExternalServices, startExternalServices } from "./external-services.ts";
import { appliesToTwins, type Plan, planFaults, runBaseline } from "./fault-plans.ts";
import { listPostKinds, type PostKind } from "./post-kinds.ts";
import { runCases, withFakeClock } from "./run-cases.ts";
import { type Judged, judgeCases } from "./verdict.ts";

export interface Options {
  drivers: Driver[];
  /** The posts of a driver; by default one of each content kind. */
  posts?(driver: Driver, host: MediaHost): PostKind[];
  /** Time that the networks process media. */
  timing?: Partial<Timing>;
  /** Selects the cases to run. */
  only(kind: PostKind, plan: Plan): boolean;
  /** Changes the services of every worker. */
  change(base: Services): Services;
}

export interface Results {
  withoutFaults: Judged[];
  withFaults: Judged[];
  /** Number of times each call arrived at the networks, from the baseline on that the faults were planned by. */
  arrived: Map<string, number>;
}

export async function runFaultSuite(options: Options): Promise<Results> {
  const external = await startExternalServices(options.timing ?? {});
  try {
    return await withFakeClock(() => runAll(external, options));
  } finally {
    await external.close();
  }
}

async function runAll(
  external: ExternalServices,
  { drivers, only, change, posts = listPostKinds }: Options,
): Promise<Results> {
  const base = change(buildServices(external));
  const tenant = await createCaseTenant(base);
  const run = async (wanted: CaseRequest[]) =>
    runCases(base, external, await mintCases(base, external, tenant, wanted));
  const kinds = drivers.flatMap((driver) => posts(driver, external.media));
  let baselineFrom = 0;
  const baseline = await runBaseline(
    () => {
      baselineFrom = external.networks.log().length;
      return run(kinds.map((kind) => ({ kind, plan: null, twin: null })));
    },
    (runs) => runs.flatMap(({ publisher }) => publisher.operations),
  );
  const withoutFaults = await judgeCases(base, external, baseline);
  const alone = baseline.filter(({ kind }) => !kind.thread && !kind.firstComment);
  const second = await judgeCases(
    base,
    external,
    await run(alone.map((one) => ({ kind: one.kind, plan: null, twin: one }))),
  );
  // Networks that reject an identical post have no twin cases.
  const twice = new Set(second.filter(({ verdict }) => verdict === "posted").map(({ running }) => running.kind));
  const isNew = rememberRepeats();
  const wanted = baseline.flatMap(({ kind, publisher: { operations } }) =>
    planFaults(operations)
      .filter((plan) => only(kind, plan) && isNew(kind.platform, plan))
      .map((plan) => ({ kind, plan, twin: null, twinned: twice.has(kind) && appliesToTwins(plan, operations) })),
  );
  const faulty = await run(wanted);
  const twinned = wanted.filter((one) => one.twinned);
  const before = await run(twinned.map(({ kind }) => ({ kind, plan: null, twin: null })));
  const twins = await run(twinned.map(({ kind, plan }, at) => ({ kind, plan, twin: before[at] ?? null })));
  const withFaults = await judgeCases(base, external, [...faulty, ...twins]);
  return { withoutFaults, withFaults, arrived: countCalls(external, baselineFrom) };
}

function countCalls({ networks }: ExternalServices, from: number): Map<string, number> {
  const calls = Map.groupBy(networks.log().slice(from), ({ call }) => call ?? "unknown");
  return new Map([...calls].map(([name, entries]) => [name, entries.length]));
}

/**
 * The statements of a worker, and its reads of media, are the same for every kind of post, so their faults are injected
 * into the first kind of each network only.
 */
export function rememberRepeats() {
  const seen = new Set<string>();
  return (scope: string, { operation: { on, name, nth }, fault }: Plan): boolean => {
    if (on === "network") return true;
    const key = [scope, name, nth > 0, fault].join();
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  };
}

/** Services of a worker without faults: the fake networks and media host, and the clock of this process. */
export function buildServices({ networks, media }: ExternalServices): Services {
  const { services } = createTestPublisher(new Date(), {
    clock: () => new Date(),
    // These services stand for thousands of invocations.
    budget: { countRequest: () => undefined, remainingRequests: () => Number.POSITIVE_INFINITY },
    fetch: (input, init) => fetch(input, init),
    enqueueDeliveries: () => undefined,
    log: () => undefined,
  });
  const { env } = services;
  // Apps of its own: the circuit and the limits of an app are shared, and the files have clocks months apart.
  const clientId = newId();
  const fakeNetworks = Object.entries(env.networks).map(([platform, config]) => [
    platform,
    {
      ...config,
      clientId,
      baseUrl: `${networks.url}/${platform}`,
      ...(config.pages && { pages: { ...config.pages, clientId: newId() } }),
    },
  ]);
  const allowedHosts = [...env.allowedHosts, new URL(media.url("")).host];
  // The quota of a day, whose share grows by the hour, has tests of its own.
  const limits = { YOUTUBE_UPLOADS_PER_DAY: 1_000_000 };
  return { ...services, env: { ...env, ...limits, networks: Object.fromEntries(fakeNetworks), allowedHosts } };
}
