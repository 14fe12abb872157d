// Reports what only the operator can repair: the line that RUNBOOKS.md alerts on.
import { getFailure } from "../platforms/platform.ts";
import type { Services } from "../services/context.ts";

export function alertOperator(services: Pick<Services, "log">, error: unknown, subject: Record<string, string>): void {
  const failed = getFailure(error);
  if (failed?.operator) services.log({ level: "error", ...subject, code: failed.code, operator: failed.message });
}
