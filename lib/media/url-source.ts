// A stored object behind a presigned URL, read by ranges or in one pass.
import type { MediaSource } from "./source.ts";

/** What an order says of an object. */
export interface Located {
  /** Takes GETs, with ranges. */
  url: string;
  size: number;
  /** Other bytes at the same place make reads fail instead of mixing with these; null where bytes never change. */
  etag: string | null;
  /** Goes along with every read, so that they are known as this request's. */
  requestId: string;
}

export function urlSource(ask: typeof fetch, { url, size, etag, requestId }: Located): MediaSource {
  const headers = { "x-request-id": requestId, ...(etag === null ? {} : { "If-Match": etag }) };

  async function get(wanted: number, range: Record<string, string>): Promise<Response> {
    const answer = await ask(url, { headers: { ...headers, ...range } });
    if (answer.status === wanted) return answer;
    throw new Error(`the storage answered HTTP ${answer.status} to a read`);
  }

  return {
    size,
    async read(offset, length) {
      if (length === 0) return new Uint8Array();
      const part = await get(206, { Range: `bytes=${offset}-${offset + length - 1}` });
      // As one buffer: a reader of its chunks, 4 KiB each in a Worker, costs several times the CPU.
      return new Uint8Array(await part.arrayBuffer());
    },
    async stream() {
      const { body } = await get(200, {});
      if (!body) throw new Error("the storage answered without a body");
      return body;
    },
  };
}
