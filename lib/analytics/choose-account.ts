// Chooses the connected account that a target is read with.
import type { ClaimedRefresh } from "../queries/analytics-refreshes.ts";
import type { Network } from "../schemas/analytics-handle.ts";
import type { Reader } from "./readers/reader-contract.ts";

type Account = ClaimedRefresh["accounts"][number];

export const NETWORK_NAMES: Record<Network, string> = { tiktok: "TikTok", instagram: "Instagram", youtube: "YouTube" };

/** A paused account is not published to, but its token is valid. */
const READABLE_STATUSES = ["active", "paused"];

/** Prefers the target's own account. Returns a message for the customer when no account can read the target. */
export function chooseAccount(
  { target, accounts }: Pick<ClaimedRefresh, "target" | "accounts">,
  reader: Reader,
): Account | string {
  const candidates = accounts.filter(({ own }) => own || reader.visibility === "public");
  const account = candidates.find(({ type, status }) => type === "byo" && READABLE_STATUSES.includes(status));
  if (account) return account;
  const network = NETWORK_NAMES[target.platform];
  const [nearest] = candidates;
  if (nearest?.type === "hosted") {
    return `Metrics of hosted accounts cannot be read. Connect ${nearest.username} to ${network} directly, then refresh.`;
  }
  if (nearest)
    return `The ${network} account ${nearest.username} is ${nearest.status}. Connect it again, then refresh.`;
  return reader.visibility === "public"
    ? `Reading requires a connected ${network} account. Connect one, then refresh.`
    : `${network} allows only the account itself to read the posts of ${target.identifier}, and it is not connected. Connect it, then refresh.`;
}
