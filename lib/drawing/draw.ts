// One slide drawn by the drawing Worker.
import { createHash } from "node:crypto";
import { describeError } from "../describe-error.ts";
import type { Env } from "../env.ts";
import { type Refusal, refuse, unavailable } from "../errors.ts";
import type { BareSlide } from "../schemas/slide.ts";
import { CONTENT_TYPE, HEIGHT, type Order, type Refused, WIDTH } from "./order.ts";
import type { DrawnSettings, Size } from "./settings.ts";

export interface Drawn extends Size {
  bytes: Uint8Array;
  contentType: string;
  /** Lower-case hex. */
  sha256: string;
}

/** The first one may meet an isolate that is just being replaced. */
const TRIES = 2;

/** Throws `image_unreachable` or `slide_undrawable` with the reason, or `provider_unavailable`. */
export async function drawSlide(
  env: Pick<Env, "draw" | "allowedHosts">,
  slide: BareSlide,
  settings: DrawnSettings,
): Promise<Drawn> {
  if (!env.draw) throw away(new Error("no drawing Worker is bound as DRAW"));
  const order: Order = { slide, settings, allowedHosts: env.allowedHosts };
  const body = JSON.stringify(order);
  for (let tries = 1; ; tries++) {
    const answer = await ask(env.draw, body);
    if (answer instanceof Response) return read(answer);
    if (tries === TRIES) throw away(answer.failed);
  }
}

async function ask(draw: NonNullable<Env["draw"]>, body: string): Promise<Response | { failed: Error }> {
  try {
    const answer = await draw.fetch("http://drawing/", { method: "POST", body });
    if (answer.status < 500) return answer;
    return { failed: new Error(`the drawing Worker answered HTTP ${answer.status}: ${await answer.text()}`) };
  } catch (error) {
    return { failed: new Error(describeError(error)) };
  }
}

async function read(answer: Response): Promise<Drawn> {
  if (answer.status === 422) throw refusalFrom(await answer.json<Refused>());
  if (!answer.ok) throw away(new Error(`the drawing Worker answered HTTP ${answer.status}`));
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return {
    bytes,
    contentType: CONTENT_TYPE,
    width: Number(answer.headers.get(WIDTH)),
    height: Number(answer.headers.get(HEIGHT)),
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
}

function refusalFrom({ why, message }: Refused): Refusal {
  return why === "image" ? unreachable(message) : refuse("slide_undrawable", message);
}

/** 502 here: it is not the request that names the image. */
export function unreachable(message: string): Refusal {
  return refuse("image_unreachable", message, { status: 502 });
}

function away(cause: Error): Refusal {
  return unavailable("drawing service", cause);
}
