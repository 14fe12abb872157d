// Runs an operation of the API for the person who is signed in, and returns to a page with what came of it.
import type { Endpoint } from "../../lib/http/endpoint-spec.ts";
import { type ExecutionInput, execute } from "../../lib/http/execute.ts";
import { toApiError } from "../../lib/shared/errors.ts";
import { describeRejection } from "./messages.ts";
import type { PageContext } from "./page.ts";
import { setNotice } from "./session.ts";

export function runOperation<Data>(c: PageContext, endpoint: Endpoint, input: ExecutionInput): Promise<Data> {
  const { workspace, origin, requestId } = c.var;
  // The type of Hono is a part of the type of the platform.
  const executionCtx = c.executionCtx as ExecutionContext;
  return execute<Data>(endpoint, workspace.actor, input, {
    env: c.env,
    executionCtx,
    origin,
    requestId,
  });
}

/** Redirects to a page that says what `work` returned, or why it failed; after a failure to another page, if one is given. */
export async function redirectWithNotice(
  c: PageContext,
  path: string,
  work: () => Promise<string>,
  pathOfProblem = path,
): Promise<Response> {
  const redirect = (to: string) => c.redirect(`/dashboard/${c.var.workspace.id}/${to}`, 303);
  try {
    setNotice(c, { kind: "done", text: await work() });
    return redirect(path);
  } catch (error) {
    const known = toApiError(error);
    if (!known || known.status >= 500) throw error;
    const text = describeRejection({ message: known.message, fields: known.extra.fields }, c.var.timeZone);
    setNotice(c, { kind: "problem", text });
    return redirect(pathOfProblem);
  }
}
