// The parts of unfinished uploads, as R2 lists them and Miniflare does not: their ETags are kept when they pass by.
import type { IncomingMessage, ServerResponse } from "node:http";

const NOT_IMPLEMENTED = 501;

export function createParts() {
  const uploads = new Map<string, Map<number, string>>();

  function partsOf(uploadId: string): Map<number, string> {
    const known = uploads.get(uploadId) ?? new Map<number, string>();
    uploads.set(uploadId, known);
    return known;
  }

  return {
    /** Looks at a request and the store's answer to it. */
    see({ method, url = "/" }: IncomingMessage, { statusCode, headers }: IncomingMessage): void {
      const asked = new URL(url, "http://bucket").searchParams;
      const [uploadId, partNumber] = [asked.get("uploadId"), Number(asked.get("partNumber"))];
      if (!uploadId || statusCode === undefined || statusCode >= 300) return;
      if (method === "PUT" && headers.etag) partsOf(uploadId).set(partNumber, headers.etag);
      if (method === "POST" || method === "DELETE") uploads.delete(uploadId);
    },

    /** Lists what the store, which has checked the signature, says it cannot list; false when that is not the question. */
    list({ method, url = "/" }: IncomingMessage, inner: IncomingMessage, response: ServerResponse): boolean {
      const uploadId = new URL(url, "http://bucket").searchParams.get("uploadId");
      const known = uploads.get(uploadId ?? "");
      if (method !== "GET" || !known || inner.statusCode !== NOT_IMPLEMENTED) return false;
      inner.resume();
      const parts = [...known]
        .sort(([a], [b]) => a - b)
        .map(([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`);
      const body = `<ListPartsResult><IsTruncated>false</IsTruncated>${parts.join("")}</ListPartsResult>`;
      response.writeHead(200, { "content-type": "application/xml", "content-length": Buffer.byteLength(body) });
      response.end(body);
      return true;
    },
  };
}
