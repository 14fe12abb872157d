// Chooses the account whose token is used to read the metrics of a target.
import type { ClaimedRefresh } from "../queries/analytics-refreshes.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import type { Reader } from "./readers/reader-contract.ts";

type Account = ClaimedRefresh["accounts"][number];

/** Publishing to a paused account is stopped, but its token still works. */
const READABLE_STATUSES = ["active", "paused"];

/**
 * Returns the first usable account; `accounts` lists the target's own account first. Returns a message for the customer
 * when none can read the target.
 */
export function chooseAccount(
  { target, accounts }: Pick<ClaimedRefresh, "target" | "accounts">,
  reader: Reader,
): Account | string {
  const candidates = accounts.filter(({ own }) => own || reader.visibility === "public");
  const account = candidates.find(({ type, status }) => type === "byo" && READABLE_STATUSES.includes(status));
  if (account) return account;
  const network = PLATFORM_DETAILS[target.platform].name;
  const [candidate] = candidates;
  if (candidate?.type === "hosted") {
    return `Metrics of hosted accounts cannot be read. Connect your own ${network} account, then refresh.`;
  }
  if (candidate)
    return `The ${network} account ${candidate.username} is ${candidate.status}. Connect it again, then refresh.`;
  return reader.visibility === "public"
    ? `Reading these metrics requires a connected ${network} account. Connect one, then refresh.`
    : `${network} allows only the account itself to read the posts of ${target.identifier}, and that account is not connected. Connect it, then refresh.`;
}
