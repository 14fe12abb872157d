// A browser without script: keeps cookies, posts forms, and answers the consent screens of the fake networks.
import worker from "../../functions/index.ts";
import workspace from "../../functions/workspace/worker.ts";
import { createBindings } from "../support/harness.ts";
import { openBrowser } from "./scriptless-browser.ts";

export { answerConsent } from "./scriptless-browser.ts";

const ORIGIN = "http://api.test";

/** A browser of the Workers in process. */
export function createBrowser(env: Record<string, unknown> = {}) {
  return openBrowser(ORIGIN, async (request) => {
    const pending: Promise<unknown>[] = [];
    const context = {
      waitUntil: (work: Promise<unknown>) => pending.push(work),
      passThroughOnException() {},
    } as unknown as ExecutionContext;
    const bindings = { ...createBindings([]), ...env };
    const response = await worker.fetch(
      request,
      { ...bindings, WORKSPACE: { fetch: (forwarded: Request) => workspace.fetch(forwarded, bindings, context) } },
      context,
    );
    await Promise.all(pending);
    return response;
  });
}
