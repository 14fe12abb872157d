// The Worker: mounts every endpoint, handles unknown routes and methods, cron ticks and queue batches.
import { type Context, Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { errorResponse, readRequestId, toResponse } from "../lib/http/envelope.ts";
import { logResponse } from "../lib/http/response-log.ts";
import { parseRoute } from "../lib/http/route-path.ts";
import { withPreviewQueue } from "../lib/sandbox/preview-queue.ts";
import { openServices, type Services } from "../lib/services/context.ts";
import type {
  DeliveriesMessage,
  QueueMessage,
  RefreshesMessage,
  SandboxMessage,
  WebhooksMessage,
} from "../lib/services/env.ts";
import { type ApiError, apiError, type ErrorCode } from "../lib/shared/errors.ts";
import { formatError } from "../lib/shared/format-error.ts";
import { HOSTED_CALLBACK_PATH } from "../lib/shared/paths.ts";
import { toResult } from "../lib/shared/result.ts";
import docs from "./meta/docs.ts";
import openapi from "./meta/openapi.ts";
import wellKnown from "./meta/well-known.ts";
import { routes, webRoutes } from "./routes.ts";

type Bindings = Record<string, unknown>;

interface AppEnv {
  Bindings: Bindings;
  Variables: {
    /** True when the endpoint, or the Worker of the pages, writes the log line of its own response. */
    isLogged: boolean | undefined;
    errorCode: ErrorCode | undefined;
  };
}

const app = new Hono<AppEnv>();
app.use(async (c, next) => {
  const startedAt = Date.now();
  await next();
  if (!c.var.isLogged) logResponse(c, { startedAt, errorCode: c.var.errorCode });
});
app.use(methodNotAllowed({ app, onMethodNotAllowed: methodNotAllowedResponse }));
const routeTable = Object.values(routes).map(({ route, load }) => ({ ...parseRoute(route), load }));
// Literal paths come first for every method: `/posts/prepare` is not the post with the id "prepare".
const [literalRoutes, parameterRoutes] = [
  routeTable.filter(({ isLiteral }) => isLiteral),
  routeTable.filter(({ isLiteral }) => !isLiteral),
];
for (const entry of literalRoutes) mount(entry);
for (const [path, entries] of Map.groupBy(literalRoutes, ({ routerPath }) => routerPath)) {
  const methods = entries.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  app.all(path, (c) => methodNotAllowedResponse(c, methods));
}
for (const entry of parameterRoutes) mount(entry);
app.route("/", openapi);
app.route("/", docs);
app.route("/", wellKnown);
for (const { methods, paths, load } of Object.values(webRoutes)) {
  // `/dashboard/` is `/dashboard`: people type addresses.
  const typed = paths.flatMap((path) => (path.endsWith("*") ? [path] : [path, `${path}/`]));
  app.on([...methods], typed, async (c) => {
    const { default: route } = await load();
    c.set("isLogged", route.spec.auth !== "public" && c.env.WORKSPACE !== undefined);
    return route.fetch(c.req.raw, c.env, c.executionCtx);
  });
}
app.post(HOSTED_CALLBACK_PATH, async (c) => {
  c.set("isLogged", true);
  const { default: callback } = await import("./hosted/callback.ts");
  return callback.fetch(c.req.raw, c.env, c.executionCtx);
});
app.notFound((c) => {
  const message = `No such route: ${c.req.path}. GET /openapi.json lists all routes.`;
  return sendRouteError(c, apiError("route_not_found", message));
});

/** The tasks of a cron run; each is loaded on the first run. */
const CRON_TASKS: ((services: Services) => Promise<void>)[] = [
  async (services) => (await import("./cron/deliveries.ts")).enqueueDueDeliveries(services),
  async (services) => (await import("./cron/checks.ts")).checkScheduledPosts(services),
  async (services) => (await import("./cron/clock-posts.ts")).moveClockTimes(services),
  async (services) => (await import("./cron/uploads.ts")).cleanUpStorage(services),
  async (services) => (await import("./cron/refreshes.ts")).enqueueDueRefreshes(services),
  async (services) => (await import("./cron/tokens.ts")).refreshTokens(services),
  async (services) => (await import("./cron/partitions.ts")).keepPartitions(services),
  async (services) => (await import("./cron/events.ts")).writeTimedEvents(services),
  async (services) => (await import("./cron/connections.ts")).removeEnded(services),
  async (services) => (await import("./cron/notifications.ts")).notifyPeople(services),
  async (services) => (await import("./cron/webhooks.ts")).enqueueDueWebhooks(services),
  async (services) => (await import("./cron/sandboxes.ts")).enqueueDueSandboxes(services),
];

export default {
  fetch: (request: Request, env: Bindings, ctx: ExecutionContext) =>
    app.fetch(request, withPreviewQueue(env, ctx), ctx),

  async scheduled(_event, env, ctx) {
    const services = openInvocationServices("cron", env, ctx);
    // The tasks are independent: all run, and the invocation fails when any of them failed.
    const runs = await Promise.all(CRON_TASKS.map((run) => toResult(run(services))));
    const errors = runs.flatMap((run) => (run.ok ? [] : [run.error]));
    for (const error of errors) services.log({ level: "error", error: formatError(error) });
    if (errors.length > 0) throw errors[0];
  },

  async queue(batch, env, ctx) {
    const services = openInvocationServices("queue", env, ctx);
    if (isBatchOf<QueueMessage>(batch, "dead-letters")) {
      const { consumeDeadLetters } = await import("./queue/dead-letters.ts");
      return consumeDeadLetters(services, batch);
    }
    if (isBatchOf<RefreshesMessage>(batch, "refreshes")) {
      const { consumeRefreshes } = await import("./queue/refreshes.ts");
      return consumeRefreshes(services, batch);
    }
    if (isBatchOf<WebhooksMessage>(batch, "webhooks")) {
      const { consumeWebhooks } = await import("./queue/webhooks.ts");
      return consumeWebhooks(services, batch);
    }
    const { consumeDeliveries } = await import("./queue/deliveries.ts");
    await consumeDeliveries(services, batch as MessageBatch<DeliveriesMessage | SandboxMessage>);
  },
} satisfies ExportedHandler<Bindings, QueueMessage>;

function mount({ method, routerPath, load }: (typeof routeTable)[number]): void {
  app.on(method, routerPath, async (c) => {
    c.set("isLogged", true);
    return (await load()).default.fetch(c.req.raw, c.env, c.executionCtx);
  });
}

function methodNotAllowedResponse(c: Context<AppEnv>, methods: string[]): Response {
  const allow = methods.join(", ");
  const message = `${c.req.method} is not supported for this path. Allowed: ${allow}.`;
  return sendRouteError(c, apiError("method_not_allowed", message, { headers: { Allow: allow } }));
}

function sendRouteError(c: Context<AppEnv>, error: ApiError): Response {
  c.set("errorCode", error.code);
  return toResponse(errorResponse(error), readRequestId(c.req.header("x-request-id")));
}

/** The queue names are in wrangler.toml, with a suffix in previews. */
function isBatchOf<Message>(batch: MessageBatch, queue: string): batch is MessageBatch<Message> {
  return batch.queue.startsWith(queue);
}

function openInvocationServices(caller: string, env: Bindings, ctx: ExecutionContext): Services {
  return openServices(env, `${caller}.${crypto.randomUUID()}`, (work) => ctx.waitUntil(work));
}
