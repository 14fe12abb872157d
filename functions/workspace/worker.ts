// The Worker of the pages for people, deployed separately (`-c functions/workspace/wrangler.toml`).
import { withPreviewQueue } from "../../lib/sandbox/preview-queue.ts";
import { CONNECT_CALLBACK_PATH, CONNECT_PATH, CRON_PATH, OAUTH_PATH } from "../../lib/shared/paths.ts";
import dashboard from "./app.tsx";
import connectCallback from "./connect/callback.ts";
import connectPages from "./connect/page.ts";
import { runCron } from "./cron.ts";
import oauth from "./oauth/app.ts";

/** By the start of the path; the dashboard has its own headers and session, the others none. */
const APPS = [
  [`${CONNECT_CALLBACK_PATH}/`, connectCallback],
  [`${CONNECT_PATH}/`, connectPages],
  // The page of the consent is one of the dashboard.
  [`${OAUTH_PATH}/authorize`, dashboard],
  [`${OAUTH_PATH}/`, oauth],
  ["/.well-known/", oauth],
] as const;

export default {
  fetch(request: Request, env: Record<string, unknown>, ctx: ExecutionContext) {
    const { pathname } = new URL(request.url);
    if (pathname === CRON_PATH) return runCron(request, env, ctx);
    const [, app = dashboard] = APPS.find(([start]) => pathname.startsWith(start)) ?? [];
    return app.fetch(request, withPreviewQueue(env, ctx), ctx);
  },
};
