// The Worker: mounts every endpoint, answers unknown routes and methods, and takes what cron and the queue bring.
import { Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { openWorld } from "../lib/call.ts";
import type { DeliveryNudge } from "../lib/env.ts";
import { failed, requestIdFrom, toResponse } from "../lib/envelope.ts";
import { refuse } from "../lib/errors.ts";
import { publishTick } from "./cron/publish.ts";
import hostedCallback from "./hosted/callback.ts";
import docs from "./meta/docs.ts";
import openapi from "./meta/openapi.ts";
import { takeNudges } from "./queue/deliveries.ts";
import * as routes from "./routes.ts";

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
for (const endpoint of Object.values(routes)) app.route("/", endpoint);
app.route("/", openapi);
app.route("/", docs);
app.route("/", hostedCallback);
app.notFound((c) => {
  const refusal = refuse("route_not_found", `No such route: ${c.req.path}. GET /openapi.json lists what there is.`);
  return toResponse(failed(refusal), requestIdFrom(c.req.header("x-request-id")));
});

export default {
  fetch: app.fetch,

  async scheduled(_event, env, ctx) {
    await publishTick(openWorld(env, `cron.${crypto.randomUUID()}`, (work) => ctx.waitUntil(work)));
  },

  async queue(batch, env, ctx) {
    await takeNudges(
      openWorld(env, `queue.${crypto.randomUUID()}`, (work) => ctx.waitUntil(work)),
      batch,
    );
  },
} satisfies ExportedHandler<Bindings, DeliveryNudge>;
