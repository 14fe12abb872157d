// Networks as a publisher experiences them, without servers: X and TikTok with the latency and failures of a model.
import type { VirtualClock } from "./virtual-clock.ts";

/** Of one call, in milliseconds; most are short, as the logarithm of the latency is spread evenly. */
export const NETWORK_LATENCY_MS = { least: 50, most: 800 } as const;
export const MEAN_NETWORK_MS =
  (NETWORK_LATENCY_MS.most - NETWORK_LATENCY_MS.least) / Math.log(NETWORK_LATENCY_MS.most / NETWORK_LATENCY_MS.least);

/** Shares of the calls that publish: an error of the network, a lost request, and a lost response. */
export const FAILURES = { serverError: 0.002, lostRequest: 0.001, lostResponse: 0.001 } as const;
const NO_FAILURES = { serverError: 0, lostRequest: 0, lostResponse: 0 } as const;

/** Of one upload to a network. */
const UPLOAD_BYTES_PER_MS = 100_000;
const STREAM_CHUNK = new Uint8Array(1024 * 1024);

export interface ModelledNetworks {
  fetch: typeof fetch;
  /** Number of times each text was published. */
  published: Map<string, number>;
  calls(): number;
}

export function createModelledNetworks(clock: VirtualClock, { failing }: { failing: boolean }): ModelledNetworks {
  const published = new Map<string, number>();
  const timelines = new Map<string, { id: string; text: string }[]>();
  const uploads = new Map<string, { caption: string; size: number; arrived: number }>();
  let calls = 0;
  let lastId = 0;
  const nextId = () => String(++lastId);

  async function createPost(text: string, account: string): Promise<Response> {
    const draw = Math.random();
    const { serverError, lostRequest, lostResponse } = failing ? FAILURES : NO_FAILURES;
    if (draw < serverError) return Response.json({ title: "Service Unavailable" }, { status: 503 });
    if (draw < serverError + lostRequest) throw new TypeError("fetch failed");
    const id = nextId();
    publish(text);
    const timeline = timelines.get(account) ?? [];
    timelines.set(account, timeline);
    timeline.unshift({ id, text });
    if (draw < serverError + lostRequest + lostResponse) throw new TypeError("fetch failed");
    return Response.json({ data: { id, text } }, { status: 201 });
  }

  function publish(text: string): void {
    published.set(text, (published.get(text) ?? 0) + 1);
  }

  async function callX(path: string, init: RequestInit): Promise<Response> {
    const account = new Headers(init.headers).get("authorization") ?? "";
    if (path === "/2/tweets") return createPost(JSON.parse(String(init.body)).text, account);
    const data = (timelines.get(account) ?? [])
      .slice(0, 100)
      .map((post) => ({ ...post, created_at: new Date(clock.now()).toISOString() }));
    return Response.json({ ...(data.length > 0 ? { data } : {}), meta: { result_count: data.length } });
  }

  async function callTikTok(url: URL, init: RequestInit): Promise<Response> {
    const ok = (data: object) => Response.json({ data, error: { code: "ok", message: "", log_id: "1" } });
    const step = url.pathname.split("/publish/")[1];
    const body = init.method === "POST" ? JSON.parse(String(init.body)) : {};
    if (step === "creator_info/query/") {
      const options = { comment_disabled: false, duet_disabled: false, stitch_disabled: false };
      const privacy_level_options = ["PUBLIC_TO_EVERYONE", "SELF_ONLY"];
      return ok({ creator_username: "a", privacy_level_options, max_video_post_duration_sec: 600, ...options });
    }
    if (step === "video/init/") {
      const publish_id = `v_pub_file~v2.${nextId()}`;
      uploads.set(publish_id, { caption: body.post_info.title, size: body.source_info.video_size, arrived: 0 });
      return ok({ publish_id, upload_url: `${url.origin}/tiktok/upload/?id=${encodeURIComponent(publish_id)}` });
    }
    const upload = uploads.get(body.publish_id ?? url.searchParams.get("id"));
    if (!upload) return Response.json({ error: { code: "invalid_publish_id" } }, { status: 400 });
    if (step === "status/fetch/") {
      const isComplete = upload.arrived === upload.size;
      return ok(
        isComplete
          ? { status: "PUBLISH_COMPLETE", publicaly_available_post_id: [nextId()] }
          : { status: "PROCESSING_UPLOAD", uploaded_bytes: upload.arrived },
      );
    }
    upload.arrived += await drain(clock, init.body as ReadableStream<Uint8Array>);
    if (upload.arrived < upload.size) return new Response(null, { status: 206 });
    publish(upload.caption);
    return new Response(null, { status: 201 });
  }

  async function send(address: string, init: RequestInit): Promise<Response> {
    const url = new URL(address);
    if (url.hostname === "media.example.com") return openMedia(url, init);
    calls += 1;
    const { least, most } = NETWORK_LATENCY_MS;
    await clock.sleep(least * (most / least) ** Math.random());
    // The settings of the local stack give each network a path of its own.
    const [, network, path] = /^\/(\w+)(\/.*)$/.exec(url.pathname) ?? [];
    return network === "twitter" ? callX(path ?? "", init) : callTikTok(url, init);
  }

  return { fetch: (input, init = {}) => send(String(input), init), published, calls: () => calls };
}

/** A range of a file of zeros; its size is in the address. */
function openMedia(url: URL, init: RequestInit): Response {
  const size = Number(url.searchParams.get("size"));
  const range = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init.headers).get("range") ?? "");
  const [first, last] = range ? [Number(range[1]), Number(range[2])] : [0, size - 1];
  let left = last - first + 1;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const bytes = Math.min(left, STREAM_CHUNK.byteLength);
      left -= bytes;
      controller.enqueue(STREAM_CHUNK.subarray(0, bytes));
      if (left === 0) controller.close();
    },
  });
  return new Response(body, { status: 206, headers: { "content-range": `bytes ${first}-${last}/${size}` } });
}

/** Reads a stream at the speed of a connection. */
async function drain(clock: VirtualClock, body: ReadableStream<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    await clock.sleep(chunk.byteLength / UPLOAD_BYTES_PER_MS);
  }
  return bytes;
}
