// How many posts an account may publish in 24 hours, as Instagram and Threads count and tell it.
import type { Answer, NetworkAccount, PublishedItem } from "./network.ts";

const DAY_MS = 86_400_000;

/** An account may have a total of its own among its facts. */
export function createQuota(published: readonly PublishedItem[], usualTotal: number) {
  function postsOf(account: NetworkAccount): PublishedItem[] {
    return published.filter((item) => item.account === account.externalId);
  }

  function usage(account: NetworkAccount): number {
    return postsOf(account).filter((item) => Date.parse(item.at) > Date.now() - DAY_MS).length;
  }

  function total(account: NetworkAccount): number {
    return Number(account.facts?.quotaTotal ?? usualTotal);
  }

  return {
    postsOf,
    spent: (account: NetworkAccount): boolean => usage(account) >= total(account),
    answer(account: NetworkAccount): Answer {
      const config = { quota_total: total(account), quota_duration: DAY_MS / 1000 };
      return { status: 200, body: { data: [{ quota_usage: usage(account), config }] } };
    },
  };
}
