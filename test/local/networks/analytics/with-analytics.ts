// Adds to a fake network what its readers of metrics call.
import type { FakeNetwork, NetworkAccount, NetworkRequest, NetworkResponse, PublishedItem } from "../fake-network.ts";
import { buildPostHistory, createReadQuota, type HistoryPost, type PostFormat } from "../post-history.ts";
import { bluesky } from "./bluesky.ts";
import { facebook } from "./facebook.ts";
import { linkedin } from "./linkedin.ts";
import { pinterest } from "./pinterest.ts";
import { threads } from "./threads.ts";
import { twitter } from "./twitter.ts";

/**
 * Further facts of an account: `retired`, the metrics that the network does not know any more; `textCounts`, counts are
 * sent as strings; `sparse`, empty lists and objects are left out.
 */
interface AnalyticsFacts {
  retired?: string[];
  textCounts?: boolean;
  sparse?: boolean;
}

export interface AnalyticsRequest {
  account: NetworkAccount;
  facts: AnalyticsFacts;
  /** Newest first. */
  posts: HistoryPost[];
  request: NetworkRequest;
  /** A count as the account's facts have it sent. */
  toCount(value: number | undefined): number | string | undefined;
}

export interface AnalyticsCalls {
  calls: readonly string[];
  format: PostFormat;
  matchCall(request: NetworkRequest): string | null;
  handle(call: string, context: AnalyticsRequest): NetworkResponse;
  /** A call of publishing whose answer to a token that has expired is the same. */
  sameToken: string;
  rateLimited(): NetworkResponse;
}

const ANALYTICS: Readonly<Record<string, AnalyticsCalls>> = {
  ...{ facebook, threads, twitter, linkedin, pinterest, bluesky },
};

export function withAnalytics(fake: FakeNetwork): FakeNetwork {
  const own = ANALYTICS[fake.platform];
  return own ? addCalls(fake, own) : fake;
}

function addCalls(fake: FakeNetwork, own: AnalyticsCalls): FakeNetwork {
  const consumeReadQuota = createReadQuota();
  return {
    ...fake,
    calls: [...fake.calls, ...own.calls],
    matchCall: (request) => own.matchCall(request) ?? fake.matchCall(request),

    async handle(call, request) {
      if (!own.calls.includes(call)) return fake.handle(call, request);
      const account = fake.findAccount(request) as NetworkAccount | null;
      if (!account || account.expired) return fake.handle(own.sameToken, request);
      if (consumeReadQuota(account)) return own.rateLimited();
      const facts = (account.facts ?? {}) as AnalyticsFacts;
      const toCount = (value: number | undefined) => (facts.textCounts && value !== undefined ? String(value) : value);
      const posts = buildPostHistory(
        { ...account, platform: fake.platform as never },
        listOwn(fake, account),
        own.format,
      );
      return own.handle(call, { account, facts, posts, request, toCount });
    },
  };
}

const listOwn = (fake: FakeNetwork, { externalId }: NetworkAccount): PublishedItem[] =>
  fake.published.filter(({ account }) => account === externalId);
