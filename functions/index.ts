// The Worker: mounts every endpoint, answers unknown routes and methods, and takes what cron and the queue bring.
import { Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { openWorld, type World } from "../lib/call.ts";
import { describeError } from "../lib/describe-error.ts";
import type { DeliveryNudge, RefreshNudge } from "../lib/env.ts";
import { failed, requestIdFrom, toResponse } from "../lib/envelope.ts";
import { refuse } from "../lib/errors.ts";
import { HOSTED_CALLBACK_PATH, routeOf } from "../lib/paths.ts";
import { settle } from "../lib/settle.ts";
import docs from "./meta/docs.ts";
import openapi from "./meta/openapi.ts";
import { routes } from "./routes.ts";

type Bindings = Record<string, unknown>;

const app = new Hono<{ Bindings: Bindings }>();
app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      const allow = methods.join(", ");
      const message = `${c.req.method} is not offered here. Allowed: ${allow}.`;
      return toResponse(
        failed(refuse("method_not_allowed", message, { headers: { Allow: allow } })),
        requestIdFrom(c.req.header("x-request-id")),
      );
    },
  }),
);
for (const { route, load } of Object.values(routes)) {
  const { method, paths } = routeOf(route);
  app.on(method, paths, async (c) => (await load()).default.fetch(c.req.raw, c.env, c.executionCtx));
}
app.route("/", openapi);
app.route("/", docs);
app.post(HOSTED_CALLBACK_PATH, async (c) => {
  const { default: callback } = await import("./hosted/callback.ts");
  return callback.fetch(c.req.raw, c.env, c.executionCtx);
});
app.notFound((c) => {
  const refusal = refuse("route_not_found", `No such route: ${c.req.path}. GET /openapi.json lists what there is.`);
  return toResponse(failed(refusal), requestIdFrom(c.req.header("x-request-id")));
});

export default {
  fetch: app.fetch,

  async scheduled(_event, env, ctx) {
    const world = worldOf("cron", env, ctx);
    const [{ publishTick }, { uploadsTick }, { refreshTick }] = await Promise.all([
      import("./cron/publish.ts"),
      import("./cron/uploads.ts"),
      import("./cron/refresh.ts"),
    ]);
    // None waits for another or falls with it; that one fell shows on the run.
    const runs = await Promise.all([publishTick, uploadsTick, refreshTick].map((tick) => settle(tick(world))));
    const errors = runs.flatMap((run) => (run.ok ? [] : [run.error]));
    for (const error of errors) world.log({ level: "error", error: describeError(error) });
    if (errors.length > 0) throw errors[0];
  },

  async queue(batch, env, ctx) {
    const world = worldOf("queue", env, ctx);
    if (isOfRefreshes(batch)) {
      const { takeRefreshes } = await import("./queue/refreshes.ts");
      return takeRefreshes(world, batch);
    }
    const { takeNudges } = await import("./queue/deliveries.ts");
    await takeNudges(world, batch as MessageBatch<DeliveryNudge>);
  },
} satisfies ExportedHandler<Bindings, DeliveryNudge | RefreshNudge>;

/** Queues are named in wrangler.toml: `refreshes`, and with a suffix where they are a preview's. */
function isOfRefreshes(batch: MessageBatch): batch is MessageBatch<RefreshNudge> {
  return batch.queue.startsWith("refreshes");
}

function worldOf(caller: string, env: Bindings, ctx: ExecutionContext): World {
  return openWorld(env, `${caller}.${crypto.randomUUID()}`, (work) => ctx.waitUntil(work));
}
