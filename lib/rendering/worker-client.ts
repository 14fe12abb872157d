// Client of the rendering Worker.
import { createHash } from "node:crypto";
import type { BareSlide } from "../schemas/slide.ts";
import type { Env } from "../services/env.ts";
import { type ApiError, apiError, unavailableError } from "../shared/errors.ts";
import { formatError } from "../shared/format-error.ts";
import type { RenderSettings, Size } from "./settings.ts";
import type { SlideLayout, SlideTexts } from "./slide-layout.ts";
import {
  CONTENT_TYPE,
  HEIGHT_HEADER,
  LAYOUT_PATH,
  type LayoutRequest,
  type RenderFailure,
  type RenderRequest,
  WIDTH_HEADER,
} from "./worker-protocol.ts";

export interface RenderedSlide extends Size {
  bytes: Uint8Array;
  contentType: string;
  /** Lower-case hex. */
  sha256: string;
}

/** One retry, because the first attempt may hit an isolate that is being replaced. */
const MAX_ATTEMPTS = 2;

/** Throws `image_unreachable` or `slide_undrawable` with the reason, or `provider_unavailable`. */
export async function renderSlide(
  env: Pick<Env, "renderingWorker" | "allowedHosts">,
  slide: BareSlide,
  settings: RenderSettings,
): Promise<RenderedSlide> {
  const request: RenderRequest = { slide, settings, allowedHosts: env.allowedHosts };
  return readResponse(await requestWithRetry(env, "/", request));
}

/** Lays out the texts of generated slides, in their order. Throws `provider_unavailable`. */
export async function layOutSlides(
  env: Pick<Env, "renderingWorker">,
  slides: SlideTexts[],
  settings: RenderSettings,
): Promise<SlideLayout[]> {
  const request: LayoutRequest = { slides, settings };
  const response = await requestWithRetry(env, LAYOUT_PATH, request);
  if (!response.ok) throw toUnexpectedStatusError(response);
  return response.json<SlideLayout[]>();
}

/** Throws `provider_unavailable` when no attempt gets a response. */
async function requestWithRetry(env: Pick<Env, "renderingWorker">, path: string, request: object): Promise<Response> {
  if (!env.renderingWorker) throw renderingUnavailableError(new Error("no rendering Worker is bound as DRAW"));
  const body = JSON.stringify(request);
  for (let attempt = 1; ; attempt++) {
    const response = await callRenderingWorker(env.renderingWorker, path, body);
    if (response instanceof Response) return response;
    if (attempt === MAX_ATTEMPTS) throw renderingUnavailableError(response.failure);
  }
}

async function callRenderingWorker(
  worker: NonNullable<Env["renderingWorker"]>,
  path: string,
  body: string,
): Promise<Response | { failure: Error }> {
  try {
    const response = await worker.fetch(`http://rendering${path}`, { method: "POST", body });
    if (response.status < 500) return response;
    return { failure: new Error(`the rendering Worker responded HTTP ${response.status}: ${await response.text()}`) };
  } catch (error) {
    return { failure: new Error(formatError(error)) };
  }
}

async function readResponse(response: Response): Promise<RenderedSlide> {
  if (response.status === 422) throw toRenderError(await response.json<RenderFailure>());
  if (!response.ok) throw toUnexpectedStatusError(response);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return {
    bytes,
    contentType: CONTENT_TYPE,
    width: Number(response.headers.get(WIDTH_HEADER)),
    height: Number(response.headers.get(HEIGHT_HEADER)),
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
}

function toUnexpectedStatusError({ status }: Response): ApiError {
  return renderingUnavailableError(new Error(`the rendering Worker responded HTTP ${status}`));
}

function toRenderError({ why, message }: RenderFailure): ApiError {
  return why === "image" ? imageUnreachableError(message) : apiError("slide_undrawable", message);
}

/** 502 instead of the usual status, because the image is not part of the request. */
export function imageUnreachableError(message: string): ApiError {
  return apiError("image_unreachable", message, { status: 502 });
}

function renderingUnavailableError(cause: Error): ApiError {
  return unavailableError("rendering service", cause);
}
