// The outcomes that a caption can force in test mode: `[sandbox:rejected]`, or for one network `[sandbox:instagram=rejected]`.
import { PLATFORMS, type Platform } from "../shared/platforms.ts";

export const OUTCOMES = [
  "rejected",
  "slow",
  "rate_limited",
  "outcome_unknown",
  "disconnected",
  "not_processed",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A network by its name, or the hosted publisher, which serves accounts of every network. */
export type NetworkName = Platform | "hosted";
export const NETWORK_NAMES: readonly NetworkName[] = [...PLATFORMS, "hosted"];

/** A marker without its bracket is one too, so that a typing error does not publish. */
const MARKER = /\[sandbox:([^[\]\n]*)\]?/gi;

interface Marker {
  /** As the caption has it. */
  text: string;
  /** Null for every network. */
  network: string | null;
  word: string;
}

function listMarkers(caption: string): Marker[] {
  return [...caption.matchAll(MARKER)].map(([text, content = ""]) => {
    const [, network = null, word = ""] = /^(?:([^=]*)=)?(.*)$/.exec(content.toLowerCase()) ?? [];
    return { text, network, word };
  });
}

/** The outcomes that the caption forces at a network, each once, in the order of OUTCOMES. Unknown words force nothing. */
export function readOutcomes(caption: string, network: NetworkName): Outcome[] {
  const words = listMarkers(caption).flatMap((marker) =>
    marker.network === null || resolveNetwork(marker.network) === network ? marker.word : [],
  );
  return OUTCOMES.filter((outcome) => words.includes(outcome));
}

/** Why a marker of the caption means nothing, as a sentence that names the marker; null when all of them are known. */
export function findUnknownOutcome(caption: string): string | null {
  for (const { text, network, word } of listMarkers(caption)) {
    if (!text.endsWith("]")) return `${text.slice(0, 60)} has no closing bracket.`;
    if (network !== null && !resolveNetwork(network)) {
      return `${text} names no network. Networks are ${NETWORK_NAMES.join(", ")}.`;
    }
    if (!OUTCOMES.some((outcome) => outcome === word)) {
      return `${text} names no outcome. Outcomes are ${OUTCOMES.join(", ")}.`;
    }
  }
  return null;
}

/** `x` is the other name of `twitter`, as in the settings of a post. */
function resolveNetwork(name: string): NetworkName | null {
  const own = name === "x" ? "twitter" : name;
  return NETWORK_NAMES.find((network) => network === own) ?? null;
}

export const DELIVERY_HEADER = "x-sandbox-delivery";
export const OUTCOMES_HEADER = "x-sandbox-outcomes";

/** The headers with which the calls of a delivery tell the simulator what its caption forces; none when it forces nothing. */
export function toOutcomeHeaders(deliveryId: string, caption: string, network: NetworkName): Record<string, string> {
  const outcomes = readOutcomes(caption, network);
  return outcomes.length > 0 ? { [DELIVERY_HEADER]: deliveryId, [OUTCOMES_HEADER]: outcomes.join(",") } : {};
}
