// The verdict of the soak: every non-2xx explained, every post there once and published at most once, memory flat.

import type { Table } from "../bench/section.ts";
import type { BenchTenant } from "../bench/tenant.ts";
import type { LocalStack } from "../local/stack.ts";
import { median } from "../support/statistics.ts";
import type { Failure } from "./failures.ts";
import { isSuccess, KINDS, type Ledger, type SentRequest } from "./ledger.ts";

export interface MemorySample {
  at: number;
  residentMiB: number;
}

/** Statuses that a failure may cause; any other is a fault of the service even then. */
const EXPECTED_STATUSES = new Set([502, 503]);
const MAX_MEMORY_GROWTH = 0.15;

export function tabulateRequests({ requests }: Ledger, failures: readonly Failure[]): Table {
  const rows = KINDS.map((kind) => {
    const sent = requests.filter((request) => request.kind === kind);
    const failed = sent.filter((request) => !isSuccess(request));
    const slowest = Math.max(0, ...sent.filter(isSuccess).map(({ from, until }) => until - from));
    return {
      kind,
      requests: sent.length,
      "2xx": sent.length - failed.length,
      "not 2xx": failed.length,
      unexplained: failed.filter((request) => explain(request, failures) === null).length,
      "slowest 2xx ms": Math.round(slowest),
    };
  });
  const unexplained = requests.filter((request) => !isSuccess(request) && explain(request, failures) === null);
  return {
    title: "Requests",
    rows,
    broken: unexplained.slice(0, 20).map((request) => `${describe(request)}: unexplained`),
  };
}

export function tabulateFailures({ requests }: Ledger, failures: readonly Failure[]): Table {
  const failed = requests.filter((request) => !isSuccess(request));
  const rows = failures.map((failure) => {
    const responses = Map.groupBy(
      failed.filter((request) => explain(request, failures) === failure),
      describeStatus,
    );
    return {
      failure: failure.name,
      "at s": Math.round(failure.from / 1000),
      "for ms": Math.round(failure.until - failure.from),
      ...Object.fromEntries(Object.entries(failure.recovery).map(([kind, ms]) => [`${kind} after ms`, ms])),
      "not 2xx": [...responses].map(([status, list]) => `${list.length} x ${status}`).join(", "),
    };
  });
  return {
    title: "Failures, and the time from their end until the first success of each kind (of a crash: from the crash)",
    rows,
    broken: failures.flatMap(({ name, recovery }) =>
      Object.entries(recovery).flatMap(([kind, ms]) => (ms === null ? [`${name}: no ${kind} succeeded in time`] : [])),
    ),
  };
}

/** The failure during which a request failed; null when there is none, or when the response fits no failure. */
function explain(request: SentRequest, failures: readonly Failure[]): Failure | null {
  const { status, from, until } = request;
  const during = failures.findLast((failure) => from <= failure.recoveredAt && until >= failure.from);
  if (!during) return null;
  if (status === null) return during.name === "worker" ? during : null;
  return EXPECTED_STATUSES.has(status) ? during : null;
}

/** Removes 409 request_in_progress: of a twin, or of a retry that meets the claim of a request which a crash cut off. */
export function dropTwins(ledger: Ledger): number {
  const isTwin = ({ status, code }: SentRequest) => status === 409 && code === "request_in_progress";
  const twins = ledger.requests.filter(isTwin).length;
  ledger.requests = ledger.requests.filter((request) => !isTwin(request));
  return twins;
}

export async function tabulatePosts(ledger: Ledger, stack: LocalStack, tenant: BenchTenant): Promise<Table> {
  const rows = await stack.database.query<{ caption: string; posts: number }>(
    "select caption, count(*)::int as posts from posts where scope_id = $1 group by caption",
    [tenant.tenant.workspaceId],
  );
  const inScope = new Map(rows.map(({ caption, posts }) => [caption, Number(posts)]));
  const items = Object.values(stack.networks.published()).flat();
  const published = Map.groupBy(items, ({ caption }) => caption);
  const deliveries = await stack.database.query<{ status: string; deliveries: number }>(
    "select d.status, count(*)::int as deliveries from post_deliveries d join posts p on p.id = d.post_id where p.scope_id = $1 group by d.status",
    [tenant.tenant.workspaceId],
  );

  const groups = {
    "with key": ledger.posts.filter(({ key }) => key),
    "without key": ledger.posts.filter(({ key }) => !key),
  };
  const broken: string[] = [];
  for (const { caption, key, created, ids } of ledger.posts) {
    const found = inScope.get(caption) ?? 0;
    const name = `${caption}${key ? " with a key" : " without a key"}`;
    if (key && created === 0) broken.push(`${name}: never returned 201`);
    if (ids.size > 1) broken.push(`${name}: ${ids.size} different ids`);
    if (created > 0 && found !== 1) broken.push(`${name}: returned 201, ${found} times in the scope`);
    if (found > 1) broken.push(`${name}: ${found} times in the scope`);
    const times = published.get(caption)?.length ?? 0;
    if (times > 1) broken.push(`${name}: published ${times} times`);
  }
  const sum = (list: typeof ledger.posts, count: (post: (typeof ledger.posts)[number]) => number) =>
    list.reduce((total, post) => total + count(post), 0);
  return {
    title: "Posts",
    note: `Deliveries: ${deliveries.map(({ status, deliveries }) => `${deliveries} ${status}`).join(", ")}. Without a key, a post whose response was lost is in the scope or not.`,
    rows: Object.entries(groups).map(([group, list]) => ({
      posts: group,
      asked: list.length,
      requests: sum(list, ({ requests }) => requests),
      "returned 201": sum(list, ({ created }) => Number(created > 0)),
      "in the scope": sum(list, ({ caption }) => inScope.get(caption) ?? 0),
      published: sum(list, ({ caption }) => Number(published.has(caption))),
      "published twice": sum(list, ({ caption }) => Number((published.get(caption)?.length ?? 0) > 1)),
    })),
    broken: broken.slice(0, 20),
  };
}

/** Compares the medians of the first and last quarter of the samples after `since`. */
export function tabulateMemory(samples: readonly MemorySample[], since: number, checked: boolean): Table {
  const shown = samples.filter(({ at }) => at >= since).map(({ residentMiB }) => residentMiB);
  const quarter = Math.max(1, Math.floor(shown.length / 4));
  const [first, last] = [median(shown.slice(0, quarter)), median(shown.slice(-quarter))];
  const growth = first > 0 ? last / first - 1 : 0;
  const flat = growth <= MAX_MEMORY_GROWTH;
  return {
    title: "Resident memory of workerd, MiB",
    rows: [
      {
        "from s": Math.round(since / 1000),
        samples: shown.length,
        "first quarter": Math.round(first),
        "last quarter": Math.round(last),
        highest: Math.round(Math.max(0, ...shown)),
        growth: `${Math.round(growth * 100)} %`,
      },
    ],
    broken: checked && !flat ? [`memory grew by ${Math.round(growth * 100)} %`] : [],
  };
}

function describeStatus({ status, code }: SentRequest): string {
  return status === null ? "no response" : `${status} ${code ?? ""}`.trim();
}

function describe(request: SentRequest): string {
  return `${request.label} at ${(request.from / 1000).toFixed(1)} s: ${describeStatus(request)}`;
}
