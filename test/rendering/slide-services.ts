// Renders slides in tests: services with a rendering Worker that is watched, and a host of images.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { RenderServices } from "../../lib/rendering/render-slides.ts";
import type { BareSlide } from "../../lib/schemas/slide.ts";
import { openServices } from "../../lib/services/context.ts";
import { toApiError } from "../../lib/shared/errors.ts";
import type { Scope } from "../../lib/shared/scope.ts";
import { createBindings, createTestTenant, queryRows, vars } from "../support/harness.ts";
import { buildSlide, buildText } from "./test-renderer.ts";
import { callRenderingWorker } from "./worker.ts";

export const OVERLAY = { id: "1", image_url: "image", x: 50, y: 50, width: 20, height: 20, rotation: 0, opacity: 1 };

interface WatchedServices {
  services: RenderServices;
  /** Slides requested from the rendering Worker: in total, and the most at the same time. */
  renders: { count: number; maxConcurrent: number };
}

/** Opened for the tests of a file. They may change the bytes of the images, by name; each test begins without any. */
export function openImageHost() {
  const images: Record<string, { bytes: Uint8Array; etag?: string }> = {};
  const requests: IncomingMessage[] = [];
  const host = createServer((request, response) => {
    requests.push(request);
    const found = images[new URL(request.url ?? "/", "http://host").pathname.slice(1)];
    response.writeHead(found ? 200 : 404, found?.etag ? { etag: found.etag } : {}).end(found?.bytes ?? "");
  });
  beforeAll(() => new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve)));
  afterAll(() => new Promise((resolve) => host.close(resolve)));
  beforeEach(() => {
    for (const name of Object.keys(images)) delete images[name];
    requests.length = 0;
  });
  const address = () => `127.0.0.1:${(host.address() as AddressInfo).port}`;

  /** The services of one request; `respond` replaces the rendering Worker. */
  function createServices(
    respond: (request: Request) => Promise<Response> = callRenderingWorker,
    more: Record<string, unknown> = {},
  ): WatchedServices {
    const renders = { count: 0, maxConcurrent: 0, current: 0 };
    const DRAW = {
      async fetch(url: string, init: RequestInit) {
        renders.count += 1;
        renders.current += 1;
        renders.maxConcurrent = Math.max(renders.maxConcurrent, renders.current);
        return respond(new Request(url, init)).finally(() => {
          renders.current -= 1;
        });
      },
    };
    const ALLOWED_PRIVATE_HOSTS = `${vars.ALLOWED_PRIVATE_HOSTS},${address()}`;
    const raw = { ...createBindings([]), ALLOWED_PRIVATE_HOSTS, DRAW, ...more };
    return { services: { ...openServices(raw, `test.${newId()}`, () => undefined), now: new Date() }, renders };
  }

  return { images, requests, getImageUrl: (name: string) => `http://${address()}/${name}`, createServices };
}

export async function createScope(): Promise<Scope> {
  const { ownerId, workspaceId } = await createTestTenant();
  return { id: workspaceId ?? ownerId, ownerId, workspaceId };
}

export async function getApiError(work: Promise<unknown>) {
  const rejected = toApiError(await work.catch((error: unknown) => error));
  return rejected && { code: rejected.code, status: rejected.status, message: rejected.message };
}

export const listFiles = (scope: Scope) =>
  queryRows<Record<string, unknown>>(sql`select * from files where scope_id = ${scope.id} order by id`);
export const buildTextSlide = (content: string, more: Partial<BareSlide> = {}) =>
  buildSlide({ text_elements: [buildText(content)], ...more });
