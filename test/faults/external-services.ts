// External services of the fault suite: fake networks in this process under the suite's clock, media host, error responses.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PLATFORMS, type Platform } from "../../lib/shared/platforms.ts";
import type { NetworkRequest, SimulatedNetwork } from "../../lib/simulator/networks/network.ts";
import { type Networks, openLocalNetwork, startNetworks, type Timing } from "../local/networks/server.ts";
import { type MediaHost, startMediaHost } from "../platforms/media-host.ts";
import { MEDIA_SIZES } from "./post-kinds.ts";

export interface ExternalServices {
  networks: Networks;
  media: MediaHost;
  /** Name of the call in the fake network; null for a request to another host. */
  getCallName(url: string, init: RequestInit | undefined): string | null;
  /** Builds an error response in the format of the network without calling it. */
  buildError(kind: "refuse" | "429" | "500", url: string, init: RequestInit | undefined): Response;
  /** Accepts requests and never responds. */
  silentUrl: string;
  close(): Promise<unknown>;
}

const TIMING = { processingMs: 50, processingPolls: 0, publicIdDelayMs: 0 };

/** Separate instances without accounts, used for call names and error formats. */
const FAKES = PLATFORMS.map((platform) => openLocalNetwork(platform, TIMING));

export async function startExternalServices(timing: Partial<Timing>): Promise<ExternalServices> {
  const [networks, media, silentServer] = await Promise.all([
    startNetworks({ timing: { ...TIMING, ...timing } }),
    startMediaHost(MEDIA_SIZES),
    startSilentServer(),
  ]);
  const findFake = (url: string): SimulatedNetwork | null => {
    const [, platform] = url.startsWith(networks.url) ? new URL(url).pathname.split("/") : [];
    return FAKES.find((one) => one.platform === (platform as Platform)) ?? null;
  };
  return {
    networks,
    media,
    getCallName(url, init) {
      const fake = findFake(url);
      return fake ? (fake.matchCall(toIncoming(fake, url, init)) ?? "unknown") : null;
    },
    buildError(kind, url, init) {
      const fake = findFake(url);
      if (!fake) return new Response("", { status: kind === "500" ? 500 : 429 });
      const { status, body, headers } = fake.buildScriptedError(kind, undefined, toIncoming(fake, url, init));
      return new Response(JSON.stringify(body), {
        status,
        headers: { "content-type": "application/json", ...headers },
      });
    },
    silentUrl: silentServer.url,
    close: () => Promise.all([networks.close(), media.close(), silentServer.close()]),
  };
}

/** Converts a request to the format of the fakes, without media bytes. */
function toIncoming(fake: SimulatedNetwork, address: string, init: RequestInit | undefined): NetworkRequest {
  const url = new URL(address);
  const { body } = init ?? {};
  const plain = typeof body === "string" || body instanceof URLSearchParams ? body : null;
  const method = init?.method ?? "GET";
  const request = new Request(address, { method, ...(init?.headers ? { headers: init.headers } : {}), body: plain });
  const headers = new Headers([...request.headers]);
  if (body instanceof FormData) headers.set("content-type", "multipart/form-data");
  return {
    method,
    path: url.pathname.slice(fake.platform.length + 1),
    query: url.searchParams,
    headers,
    body: Buffer.from(plain?.toString() ?? ""),
    baseUrl: `${url.origin}/${fake.platform}`,
  };
}

async function startSilentServer() {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
