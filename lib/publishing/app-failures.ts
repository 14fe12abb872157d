// Failures of an app at a network: those of the deployment's app are the operator's, those of the customer's own app are theirs.
import { type Failure, getFailure } from "../platforms/platform.ts";
import type { ConnectedAccount } from "../queries/accounts.ts";
import type { Services } from "../services/context.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";

type Account = Pick<ConnectedAccount, "platform" | "app">;

/** Reports what only the operator can repair: the line that RUNBOOKS.md alerts on. */
export function alertOperator(
  { log }: Pick<Services, "log">,
  error: unknown,
  { platform, app }: Account,
  subject: Record<string, string>,
): void {
  const failed = getFailure(error);
  if (!failed?.operator || app) return;
  log({ level: "error", ...subject, network: platform, code: failed.code, operator: failed.message });
}

/** A failure as the customer reads it: an app that the customer brought is corrected by the customer. */
export function toCustomerFailure(failed: Failure | null, { platform, app }: Account): Failure | null {
  if (!failed?.operator || !app) return failed;
  const { name } = PLATFORM_DETAILS[platform];
  const message = `${name} does not accept requests of your own app ${app.clientId} (${failed.code}). Correct it at ${name}, or under Network apps in the dashboard.`;
  return { ...failed, message };
}
