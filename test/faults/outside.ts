// The outside of the fault suite: the networks' stand-ins in this process, under the suite's clock, and answers in their words.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Platform } from "../../lib/platforms/platform.ts";
import { blueskyStandIn } from "../local/networks/bluesky.ts";
import { facebookStandIn } from "../local/networks/facebook.ts";
import { instagramStandIn } from "../local/networks/instagram.ts";
import { linkedinStandIn } from "../local/networks/linkedin.ts";
import type { Incoming, Network } from "../local/networks/network.ts";
import { pinterestStandIn } from "../local/networks/pinterest.ts";
import { type Networks, startNetworks } from "../local/networks/server.ts";
import { threadsStandIn } from "../local/networks/threads.ts";
import { tiktokStandIn } from "../local/networks/tiktok.ts";
import { twitterStandIn } from "../local/networks/twitter.ts";
import { youtubeStandIn } from "../local/networks/youtube.ts";
import { type MediaHost, startMedia } from "../platforms/media.ts";
import { MEDIA } from "./kinds.ts";

export interface Outside {
  networks: Networks;
  media: MediaHost;
  /** The network's own name of a call; null for what is no call to a network. */
  callOf(url: string, init: RequestInit | undefined): string | null;
  /** A refusal in the network's own words, without the network. */
  refusal(kind: "refuse" | "429" | "500", url: string, init: RequestInit | undefined): Response;
  /** Takes a request and never answers. */
  silentUrl: string;
  close(): Promise<unknown>;
}

const PACE = { processingMs: 50, processingPolls: 0, namingMs: 0 };

/** Instances of their own, which know no account: they name calls and word refusals. */
const SPEAKERS = [
  tiktokStandIn(PACE),
  instagramStandIn(PACE),
  threadsStandIn(PACE),
  facebookStandIn(PACE),
  youtubeStandIn(PACE),
  linkedinStandIn(PACE),
  twitterStandIn(PACE),
  blueskyStandIn(PACE),
  pinterestStandIn(PACE),
];

export async function openOutside(): Promise<Outside> {
  const [networks, media, silence] = await Promise.all([
    startNetworks({ pace: PACE }),
    startMedia(MEDIA),
    startSilence(),
  ]);
  const speakerOf = (url: string): Network | null => {
    const [, platform] = url.startsWith(networks.url) ? new URL(url).pathname.split("/") : [];
    return SPEAKERS.find((one) => one.platform === (platform as Platform)) ?? null;
  };
  return {
    networks,
    media,
    callOf(url, init) {
      const speaker = speakerOf(url);
      return speaker ? (speaker.callOf(incoming(speaker, url, init)) ?? "unknown") : null;
    },
    refusal(kind, url, init) {
      const speaker = speakerOf(url);
      if (!speaker) return new Response("", { status: kind === "500" ? 500 : 429 });
      const { status, body, headers } = speaker.refusal(kind, undefined, incoming(speaker, url, init));
      return new Response(JSON.stringify(body), {
        status,
        headers: { "content-type": "application/json", ...headers },
      });
    },
    silentUrl: silence.url,
    close: () => Promise.all([networks.close(), media.close(), silence.close()]),
  };
}

/** The request as a stand-in sees it, without the bytes of media. */
function incoming(speaker: Network, address: string, init: RequestInit | undefined): Incoming {
  const url = new URL(address);
  const { body } = init ?? {};
  const plain = typeof body === "string" || body instanceof URLSearchParams ? body : null;
  const method = init?.method ?? "GET";
  const request = new Request(address, { method, ...(init?.headers ? { headers: init.headers } : {}), body: plain });
  const headers = new Headers([...request.headers]);
  if (body instanceof FormData) headers.set("content-type", "multipart/form-data");
  return {
    method,
    path: url.pathname.slice(speaker.platform.length + 1),
    query: url.searchParams,
    headers,
    body: Buffer.from(plain?.toString() ?? ""),
    self: `${url.origin}/${speaker.platform}`,
  };
}

async function startSilence() {
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
