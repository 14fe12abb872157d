// Through which of the scope's accounts a target is read, or in words why through none.
import type { Claimed } from "../queries/analytics-refreshes.ts";
import type { Network } from "./identifier.ts";
import type { Reader } from "./readers/reader.ts";

type Account = Claimed["accounts"][number];

export const NAMES: Record<Network, string> = { tiktok: "TikTok", instagram: "Instagram", youtube: "YouTube" };

/** A paused account is not published to, but its token is good. */
const READABLE = ["active", "paused"];

/** The target's own account before any other of its network. */
export function eyesFor({ target, accounts }: Pick<Claimed, "target" | "accounts">, reader: Reader): Account | string {
  const fit = accounts.filter(({ own }) => own || reader.sees === "public");
  const eyes = fit.find(({ type, status }) => type === "byo" && READABLE.includes(status));
  if (eyes) return eyes;
  const network = NAMES[target.platform];
  const [nearest] = fit;
  if (nearest?.type === "hosted") {
    return `${nearest.username} is a hosted account, whose figures ${network} does not show to us. Connect it yourself, then refresh.`;
  }
  if (nearest)
    return `The ${network} account ${nearest.username} is ${nearest.status}. Connect it again, then refresh.`;
  return reader.sees === "public"
    ? `No ${network} account is connected to read through. Connect one, then refresh.`
    : `${network} shows the posts of ${target.identifier} to that account only, and it is not connected. Connect it, then refresh.`;
}
