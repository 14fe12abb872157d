// The publishing quota of 24 hours, as Instagram and Threads count and return it.
import { DAY_MS } from "../../shared/durations.ts";
import type { NetworkContext } from "./context.ts";
import type { NetworkAccount, NetworkResponse, PublishedItem } from "./network.ts";

/** The fact `quotaTotal` of an account overrides the usual total. */
export function createQuota(context: NetworkContext, published: readonly PublishedItem[], usualTotal: number) {
  function listPosts(account: NetworkAccount): PublishedItem[] {
    return published.filter((item) => item.account === account.externalId && item.kind !== "comment");
  }

  function countUsage(account: NetworkAccount): number {
    return listPosts(account).filter((item) => Date.parse(item.at) > context.now() - DAY_MS).length;
  }

  function getTotal(account: NetworkAccount): number {
    return Number(account.facts?.quotaTotal ?? usualTotal);
  }

  return {
    listPosts,
    isExceeded: (account: NetworkAccount): boolean => countUsage(account) >= getTotal(account),
    toResponse(account: NetworkAccount): NetworkResponse {
      const config = { quota_total: getTotal(account), quota_duration: DAY_MS / 1000 };
      return { status: 200, body: { data: [{ quota_usage: countUsage(account), config }] } };
    },
  };
}
