// Makes a simulated network answer as the caption of a post forces it to. The calls of a delivery name both in headers.
import { MINUTE_MS } from "../shared/durations.ts";
import type { NetworkContext } from "./networks/context.ts";
import type { NetworkRequest, NetworkResponse, SimulatedNetwork } from "./networks/network.ts";
import { OUTCOME_RULES } from "./outcome-rules.ts";
import { DELIVERY_HEADER, OUTCOMES, OUTCOMES_HEADER, type Outcome } from "./outcomes.ts";

const SLOW_MS = 10 * 60_000;

/** The outcomes that a delivery has had so far. */
interface Progress {
  limitedUntil?: number;
  /** The network took the post, and answers nothing about it until then. */
  silentUntil?: number;
}

export function forceOutcomes(context: NetworkContext, network: SimulatedNetwork): SimulatedNetwork {
  const deliveries = context.map<Progress>("deliveries with an outcome");
  const { posting, rejected, processing } = OUTCOME_RULES[network.platform];

  async function handle(call: string, request: NetworkRequest, outcomes: readonly Outcome[]): Promise<NetworkResponse> {
    const forces = (outcome: Outcome) => outcomes.includes(outcome);
    const id = request.headers.get(DELIVERY_HEADER) ?? "";
    const progress = deliveries.get(id) ?? {};
    deliveries.set(id, progress);
    if (forces("disconnected")) disconnect(request);
    const silent = network.buildScriptedError("500", undefined, request);
    if (context.now() < (progress.silentUntil ?? 0)) return silent;
    if (forces("rate_limited") && posting.includes(call)) {
      progress.limitedUntil ??= context.now() + MINUTE_MS;
      if (context.now() < progress.limitedUntil) return limit(request, progress.limitedUntil);
    }
    if (forces("rejected") && rejected.calls.includes(call)) {
      return network.buildScriptedError("refuse", rejected.code, request);
    }
    const failed = forces("not_processed") && processing.includes(call) ? network.failProcessing(request) : null;
    if (failed) return failed;
    if (forces("slow")) context.timing.processingMs = SLOW_MS;
    const before = network.published.length;
    const response = await network.handle(call, request);
    // The hosted publisher takes a post over before it publishes it.
    const isTaken = network.published.length > before || (call === "hand_over" && response.status < 300);
    if (!forces("outcome_unknown") || !isTaken || progress.silentUntil !== undefined) return response;
    progress.silentUntil = context.now() + MINUTE_MS;
    return silent;
  }

  function disconnect(request: NetworkRequest): void {
    const account = network.findAccount(request);
    if (account) network.disconnect(account.externalId);
  }

  /** In the headers of the network where it has some, otherwise in that of HTTP. */
  function limit(request: NetworkRequest, until: number): NetworkResponse {
    const response = network.buildScriptedError("429", undefined, request);
    const [seconds, epoch] = [(until - context.now()) / 1000, until / 1000].map((value) => String(Math.ceil(value)));
    const resets = { "x-rate-limit-reset": epoch, "ratelimit-reset": epoch, "x-ratelimit-reset": seconds };
    const named = Object.entries(resets).filter(([name]) => response.headers?.[name] !== undefined);
    const own = named.length > 0 ? Object.fromEntries(named) : { "retry-after": seconds };
    return { ...response, headers: { ...response.headers, ...own } as Record<string, string> };
  }

  return {
    ...network,
    handle(call, request) {
      const outcomes = readHeader(request);
      return outcomes.length > 0 ? handle(call, request, outcomes) : network.handle(call, request);
    },
  };
}

function readHeader({ headers }: NetworkRequest): Outcome[] {
  const words = (headers.get(OUTCOMES_HEADER) ?? "").split(",");
  return OUTCOMES.filter((outcome) => words.includes(outcome));
}
