// The Worker: mounts every endpoint, answers unknown routes and methods, and takes what cron and the queue bring.
import { type Context, Hono } from "hono";
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
app.use(methodNotAllowed({ app, onMethodNotAllowed: notOffered }));
const table = Object.values(routes).map(({ route, load }) => ({ ...routeOf(route), load }));
// A path that stands for itself comes first: `/posts/prepare` is not the post "prepare", whatever the method.
const [literal, filled] = [
  table.filter(({ names }) => names.length === 0),
  table.filter(({ names }) => names.length > 0),
];
for (const entry of literal) mount(entry);
for (const [path, entries] of Map.groupBy(literal, ({ paths: [path = ""] }) => path)) {
  const methods = entries.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  app.all(path, (c) => notOffered(c, methods));
}
for (const entry of filled) mount(entry);
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
    const [{ publishTick }, { uploadsTick }, { refreshTick }, { tokensTick }] = await Promise.all([
      import("./cron/publish.ts"),
      import("./cron/uploads.ts"),
      import("./cron/refresh.ts"),
      import("./cron/tokens.ts"),
    ]);
    // None waits for another or falls with it; that one fell shows on the run.
    const runs = await Promise.all(
      [publishTick, uploadsTick, refreshTick, tokensTick].map((tick) => settle(tick(world))),
    );
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

function mount({ method, paths, load }: (typeof table)[number]): void {
  app.on(method, paths, async (c) => (await load()).default.fetch(c.req.raw, c.env, c.executionCtx));
}

function notOffered(c: Context, methods: string[]): Response {
  const allow = methods.join(", ");
  const message = `${c.req.method} is not offered here. Allowed: ${allow}.`;
  const refusal = refuse("method_not_allowed", message, { headers: { Allow: allow } });
  return toResponse(failed(refusal), requestIdFrom(c.req.header("x-request-id")));
}

/** Queues are named in wrangler.toml: `refreshes`, and with a suffix where they are a preview's. */
function isOfRefreshes(batch: MessageBatch): batch is MessageBatch<RefreshNudge> {
  return batch.queue.startsWith("refreshes");
}

function worldOf(caller: string, env: Bindings, ctx: ExecutionContext): World {
  return openWorld(env, `${caller}.${crypto.randomUUID()}`, (work) => ctx.waitUntil(work));
}
