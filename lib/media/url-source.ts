// A stored object behind a presigned URL, read by ranges or as one stream.
import type { MediaSource } from "./media-source.ts";

/** The location of the object of a request. */
export interface ObjectLocation {
  /** Accepts GET, with ranges. */
  url: string;
  size: number;
  /** Sent as If-Match, so that reads fail when the object was replaced; null for objects that never change. */
  etag: string | null;
  /** Sent with every read, to correlate them with the request. */
  requestId: string;
}

export function createUrlSource(fetcher: typeof fetch, { url, size, etag, requestId }: ObjectLocation): MediaSource {
  const headers = { "x-request-id": requestId, ...(etag === null ? {} : { "If-Match": etag }) };

  async function request(expectedStatus: number, range: Record<string, string>): Promise<Response> {
    const response = await fetcher(url, { headers: { ...headers, ...range } });
    if (response.status === expectedStatus) return response;
    throw new Error(`storage responded HTTP ${response.status} to a read`);
  }

  return {
    size,
    async read(offset, length) {
      if (length === 0) return new Uint8Array();
      const part = await request(206, { Range: `bytes=${offset}-${offset + length - 1}` });
      // As one buffer: reading its chunks, 4 KiB each in a Worker, costs several times the CPU.
      return new Uint8Array(await part.arrayBuffer());
    },
    async stream() {
      const { body } = await request(200, {});
      if (!body) throw new Error("storage responded without a body");
      return body;
    },
  };
}
