// Taking down and editing what is out while each of its operations fails: nothing is said to be removed or changed that is not,
// and the same request, sent again once the lease has ended, finishes it.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { drivers } from "../../lib/platforms/index.ts";
import type { Driver } from "../../lib/platforms/platform.ts";
import { TAKEDOWNS } from "../../lib/platforms/takedown.ts";
import { editPublished } from "../../lib/publishing/edit-published.ts";
import { LEASE_MS } from "../../lib/publishing/timing.ts";
import { unpublishPost } from "../../lib/publishing/unpublish.ts";
import type { TenantIds } from "../../lib/queries/tenants.ts";
import type { RequestContext, Services } from "../../lib/services/context.ts";
import type { MediaHost } from "../platforms/media-host.ts";
import { toRows } from "../support/rows.ts";
import { createCaseTenant, mintCases } from "./cases.ts";
import { type ExternalServices, startExternalServices } from "./external-services.ts";
import { injectFault } from "./fault-injection.ts";
import { type Fault, type Operation, type Plan, planFaults } from "./fault-plans.ts";
import { listPostKinds, listPostsWithParts, type PostKind } from "./post-kinds.ts";
import { forEachConcurrently, type Running, runCases, withFakeClock } from "./run-cases.ts";
import { buildServices } from "./suite.ts";

const NEW_CAPTION = "Changed once";

/** Faults of which another request to the same account could not recover: they end its connection. */
const ENDING: ReadonlySet<Fault> = new Set<Fault>(["token revoked"]);
/** Of a worker with a queue and a budget, which a request does not have. */
const OF_WORKERS: ReadonlySet<Fault> = new Set<Fault>(["budget used up"]);

interface Change {
  name: string;
  platforms: readonly (keyof typeof TAKEDOWNS)[];
  run(context: RequestContext, postId: string): Promise<{ results: { result: string }[] }>;
  done: readonly string[];
  /** True when the network shows what the change asks for. */
  isShown(captions: string[]): boolean;
  /** True when the stored post says so. */
  isStored(row: StoredPost): boolean;
}

interface StoredPost {
  status: string;
  caption: string;
  lease: string | null;
}

const supports = (field: "unpublish" | "edits") =>
  Object.values(drivers)
    .map(({ platform }) => platform)
    .filter((platform) => (field === "edits" ? TAKEDOWNS[platform].edits.length > 0 : TAKEDOWNS[platform].unpublish));

const CHANGES: Change[] = [
  {
    name: "unpublish",
    platforms: supports("unpublish"),
    run: (context, postId) => unpublishPost(context, postId, null),
    done: ["unpublished", "already_gone"],
    isShown: (captions) => captions.length === 0,
    isStored: ({ status }) => status === "deleted",
  },
  {
    name: "edit-published",
    platforms: supports("edits"),
    run: (context, postId) =>
      editPublished(context, postId, { caption: NEW_CAPTION, title: undefined, accountIds: null }),
    done: ["edited"],
    isShown: (captions) => captions.length === 1 && captions[0] === NEW_CAPTION,
    isStored: ({ caption }) => caption === NEW_CAPTION,
  },
];

describe.each(CHANGES)("$name", (change) => {
  let external: ExternalServices;
  const summaries = new Map<string, number>();

  beforeAll(async () => {
    external = await startExternalServices({});
  });
  afterAll(async () => {
    await external.close();
    const lines = [...summaries].map(([platform, count]) => `${platform.padEnd(12)}${count} faults`);
    process.stdout.write(`\n${change.name}\n${lines.join("\n")}\n`);
  });

  test.each(change.platforms)(
    "%s: nothing is reported that is not so, and a repetition finishes it",
    async (platform) => {
      const driver = drivers[platform];
      if (!driver) throw new Error(`No driver for ${platform}.`);
      const wrong = await withFakeClock(async () => {
        const kind = selectKind(driver, external.media, change);
        const base = buildServices(external);
        const tenant = await createCaseTenant(base);
        const publish = async (count: number) =>
          runCases(
            base,
            external,
            await mintCases(
              base,
              external,
              tenant,
              Array.from({ length: count }, () => toWanted(kind)),
            ),
          );
        const [first] = await publish(1);
        const recorded = await attempt(base, external, tenant, change, first as Running, null);
        expect(recorded.results).toEqual([expect.toBeOneOf([...change.done])]);
        const plans = planRequestFaults(recorded.operations);
        summaries.set(platform, plans.length);
        const cases = await publish(plans.length);
        const found: string[] = [];
        await forEachConcurrently(
          cases.map((running, at) => ({ running, plan: plans[at] as Plan })),
          async ({ running, plan }) => {
            const problem = await checkFault(base, external, tenant, change, running, plan);
            if (problem) found.push(`${plan.operation.name}#${plan.operation.nth} ${plan.fault}: ${problem}`);
          },
        );
        vi.setSystemTime(Date.now() + LEASE_MS + 60_000);
        for (const [at, running] of cases.entries()) {
          const problem = await checkRepetition(base, external, tenant, change, running);
          const { operation, fault } = plans[at] as Plan;
          if (problem) found.push(`${operation.name}#${operation.nth} ${fault}, again: ${problem}`);
        }
        return found;
      });
      expect(wrong).toEqual([]);
    },
    300_000,
  );
});

/** A removal has most calls where a thread is out. */
function selectKind(driver: Driver, media: MediaHost, { name }: Change): PostKind {
  const threads = listPostsWithParts(driver, media).filter(({ thread, firstComment }) => thread && !firstComment);
  const [kind] = [...(name === "unpublish" ? threads : []), ...listPostKinds(driver, media)];
  if (!kind) throw new Error(`No post of ${driver.platform}.`);
  return kind;
}

const toWanted = (kind: PostKind) => ({ kind, plan: null, twin: null });

/** A request has no checkpoint after which faults may last. */
function planRequestFaults(operations: readonly Operation[]): Plan[] {
  const lasting: ReadonlySet<Fault> = new Set(["responses lost from here on", "unreachable from here on"]);
  return planFaults(operations).filter(
    ({ fault }) => !lasting.has(fault) && !ENDING.has(fault) && !OF_WORKERS.has(fault),
  );
}

/** One request; `results` is null when its invocation was killed or ended with an error. */
async function attempt(
  base: Services,
  external: ExternalServices,
  tenant: TenantIds,
  change: Change,
  { deliveryId }: Pick<Running, "deliveryId">,
  plan: Plan | null,
): Promise<{ results: string[] | null; operations: Operation[]; struck: boolean }> {
  const late: (() => Promise<unknown>)[] = [];
  const injected = injectFault(base, external, plan, {
    scheduleLate: (call) => void late.push(call),
    deliverCopy: async () => undefined,
    hasOneDelivery: true,
  });
  const { postId } = await readPost(base, deliveryId);
  const request = change
    .run(toContext(injected.services, tenant), postId)
    .then(({ results }) => results.map(({ result }) => result))
    .catch(() => null);
  const results = await Promise.race([request, injected.died.then(() => null)]);
  for (const call of late) await call();
  return { results, operations: injected.operations, struck: injected.struck() };
}

function toContext(services: Services, { workspaceId, ownerId }: TenantIds): RequestContext {
  const scope = { id: workspaceId ?? ownerId, workspaceId, ownerId };
  const key = { id: newId(), publicId: "faults", scope };
  const actor = { kind: "key" as const, ...key, permissions: null };
  return {
    ...services,
    ...{ key, ids: newId, now: services.clock(), receivedAt: services.clock() },
    actor: actor as unknown as RequestContext["actor"],
    consumeOutsideUrls: async () => undefined,
  };
}

async function readPost({ db }: Services, deliveryId: string): Promise<StoredPost & { postId: string }> {
  const found = await db.execute(sql`select d.post_id as "postId", d.status, p.caption, d.lease_token as lease
    from post_deliveries d join posts p on p.id = d.post_id where d.id = ${deliveryId}`);
  const [row] = toRows<StoredPost & { postId: string }>(found);
  if (!row) throw new Error(`No delivery ${deliveryId}.`);
  return row;
}

const listShown = ({ networks }: ExternalServices, { kind, externalId }: Running) =>
  (networks.published()[kind.platform] ?? [])
    .filter(({ account }) => account === externalId)
    .map(({ caption }) => caption);

/** The error of a response to a request that met the fault; null when all that it says is so. */
async function checkFault(
  base: Services,
  external: ExternalServices,
  tenant: TenantIds,
  change: Change,
  running: Running,
  plan: Plan,
): Promise<string | null> {
  const { results, struck } = await attempt(base, external, tenant, change, running, plan);
  if (!struck) return "the fault was not injected";
  const row = await readPost(base, running.deliveryId);
  const isShown = change.isShown(listShown(external, running));
  if (change.isStored(row) && !isShown) return `stored, but the network shows ${listShown(external, running)}`;
  const isReported = results?.every((result) => change.done.includes(result)) ?? false;
  if (isReported && !isShown) return `reported ${results}, but the network does not show it`;
  return null;
}

/** The error after the same request without a fault, once the lease has ended. */
async function checkRepetition(
  base: Services,
  external: ExternalServices,
  tenant: TenantIds,
  change: Change,
  running: Running,
): Promise<string | null> {
  const { results } = await attempt(base, external, tenant, change, running, null);
  if (!results?.every((result) => change.done.includes(result))) return `answered ${results}`;
  const row = await readPost(base, running.deliveryId);
  if (!change.isStored(row)) return `stored as ${row.status} ${row.caption}`;
  if (row.lease !== null) return "the lease was not ended";
  return change.isShown(listShown(external, running)) ? null : `the network shows ${listShown(external, running)}`;
}
