// Failures of an app at a network: those of the deployment's app are the operator's, those of the customer's own app are theirs.
import { type Failure, getFailure, OPERATOR_ACTS, type PublishWarning } from "../platforms/platform.ts";
import type { ConnectedAccount } from "../queries/accounts.ts";
import type { Services } from "../services/context.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";

type Account = Pick<ConnectedAccount, "platform" | "app">;

/** Reports what only the operator can repair: the line that RUNBOOKS.md alerts on. */
export function alertOperator(
  services: Pick<Services, "log">,
  error: unknown,
  account: Account,
  subject: Record<string, string>,
): void {
  const failed = getFailure(error);
  if (failed) logOperatorAlert(services, failed, account, subject);
}

export function logOperatorAlert(
  { log }: Pick<Services, "log">,
  { code, message, operator }: Failure | PublishWarning,
  { platform, app }: Account,
  subject: Record<string, string>,
): void {
  if (operator && !app) log({ level: "error", ...subject, network: platform, code, operator: message });
}

/** The same for what a published post lacks. */
export function toCustomerWarnings(
  warnings: PublishWarning[] | undefined,
  { platform, app }: Account,
): PublishWarning[] | undefined {
  if (!app) return warnings;
  const act = `The app ${app.clientId} is your own: correct it at ${PLATFORM_DETAILS[platform].name}.`;
  return warnings?.map((warning) => ({ ...warning, message: warning.message.replace(OPERATOR_ACTS, act) }));
}

/** A failure as the customer reads it: an app that the customer brought is corrected by the customer. */
export function toCustomerFailure(failed: Failure | null, { platform, app }: Account): Failure | null {
  if (!failed?.operator || !app) return failed;
  const { name } = PLATFORM_DETAILS[platform];
  const message = `${name} does not accept requests of your own app ${app.clientId} (${failed.code}). Correct it at ${name}, or under Network apps in the dashboard.`;
  return { ...failed, message };
}
