// The fleet of hosted accounts says that a delivery has news: the publisher looks at it now and asks the fleet what it is.
import { Hono } from "hono";
import * as z from "zod";
import { readText } from "../../lib/body.ts";
import type { World } from "../../lib/call.ts";
import { answering } from "../../lib/endpoint.ts";
import { type Answer, success } from "../../lib/envelope.ts";
import { refuse } from "../../lib/errors.ts";
import { faultsOf, issuesOf } from "../../lib/invalid.ts";
import { HOSTED_CALLBACK_PATH } from "../../lib/paths.ts";
import { isSigned } from "../../lib/platforms/hosted/signature.ts";
import * as deliveries from "../../lib/queries/deliveries.ts";

const Body = z.strictObject({ delivery_id: z.uuid() });

const callback = new Hono();
callback.post(HOSTED_CALLBACK_PATH, (c) =>
  answering("hosted.callback", "internal_error", c, (world) => take(world, c.req.raw)),
);

/** No key is asked for: the signature is the proof, and what is told is never believed without asking the fleet. */
async function take(world: World, request: Request): Promise<Answer> {
  const { env, db } = world;
  if (!env.fleet) throw refuse("provider_unavailable", "No fleet of hosted accounts is set up on this service.");
  const text = await readText(request);
  const now = world.clock();
  if (!isSigned(env.fleet.clientSecret, request.headers, text, now)) {
    throw refuse(
      "invalid_signature",
      "X-Signature must sign X-Timestamp, which is at most 5 minutes old, and the body.",
    );
  }
  const { delivery_id } = read(text);
  const due = await deliveries.dueNow(db, delivery_id, now);
  if (due) world.nudge([delivery_id], 0);
  return success(200, due ? "Looked at now." : "Nothing is waiting for this.", { due });
}

function read(text: string): z.output<typeof Body> {
  const parsed = Body.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw refuse("invalid_payload", 'The body must be {"delivery_id": "<uuid>"}.', {
    issues: issuesOf(faultsOf(parsed.error)),
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export default callback;
