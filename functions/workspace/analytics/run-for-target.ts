// Operations of one tracked account, with errors in words for people.
import type { Endpoint } from "../../../lib/http/endpoint-spec.ts";
import type { ExecutionInput } from "../../../lib/http/execute.ts";
import { toApiError } from "../../../lib/shared/errors.ts";
import type { PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { PageError, requireId } from "../session.ts";

const MISSING = "This account is not tracked in this workspace, or not any more.";

export function requireTargetId(c: PageContext): string {
  return requireId(c, "targetId", "tracked account");
}

export async function runForTarget<Data>(c: PageContext, endpoint: Endpoint, input: ExecutionInput): Promise<Data> {
  try {
    return await runOperation<Data>(c, endpoint, input);
  } catch (error) {
    throw toApiError(error)?.code === "not_found" ? new PageError(404, MISSING) : error;
  }
}
