// Adds to a simulated network what its readers of metrics call.

import type { NetworkContext } from "../context.ts";
import { type Endpoint, routeCalls } from "../endpoints.ts";
import type { NetworkAccount, PublishedItem, SimulatedNetwork } from "../network.ts";
import { buildPostHistory, createReadQuota } from "../post-history.ts";
import { bluesky } from "./bluesky.ts";
import type { AnalyticsCalls, AnalyticsEndpoint, AnalyticsFacts } from "./calls.ts";
import { facebook } from "./facebook.ts";
import { linkedin } from "./linkedin.ts";
import { pinterest } from "./pinterest.ts";
import { threads } from "./threads.ts";
import { twitter } from "./twitter.ts";

const ANALYTICS: Readonly<Record<string, AnalyticsCalls>> = {
  ...{ facebook, threads, twitter, linkedin, pinterest, bluesky },
};

export function withAnalytics(context: NetworkContext, network: SimulatedNetwork): SimulatedNetwork {
  const own = ANALYTICS[network.platform];
  return own ? addCalls(context, network, own) : network;
}

function addCalls(context: NetworkContext, network: SimulatedNetwork, own: AnalyticsCalls): SimulatedNetwork {
  const consumeReadQuota = createReadQuota(context);

  function toEndpoint({ answer, ...endpoint }: AnalyticsEndpoint): Endpoint {
    return {
      ...endpoint,
      answer(request, params) {
        const account = network.findAccount(request) as NetworkAccount | null;
        if (!account || account.expired) return network.handle(own.sameToken, request);
        if (consumeReadQuota(account)) return own.rateLimited(context.now());
        const facts = (account.facts ?? {}) as AnalyticsFacts;
        const toCount = (value: number | undefined) =>
          facts.textCounts && value !== undefined ? String(value) : value;
        const posts = buildPostHistory(
          context,
          { ...account, platform: network.platform as never },
          listOwn(network, account),
          own.format,
        );
        return answer({ account, facts, now: context.now(), posts, request, toCount }, params);
      },
    };
  }

  const endpoints = Object.entries(own.endpoints).map(([call, endpoint]) => [call, toEndpoint(endpoint)]);
  const routed = routeCalls(Object.fromEntries(endpoints));
  return {
    ...network,
    calls: [...network.calls, ...routed.calls],
    matchCall: (request) => routed.matchCall(request) ?? network.matchCall(request),
    handle: (call, request) => (routed.calls.includes(call) ? routed : network).handle(call, request),
  };
}

const listOwn = (network: SimulatedNetwork, { externalId }: NetworkAccount): PublishedItem[] =>
  network.published.filter(({ account }) => account === externalId);
