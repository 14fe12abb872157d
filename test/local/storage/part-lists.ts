// ListParts, which Miniflare does not implement: records the ETags of uploaded parts and returns them like R2.
import type { IncomingMessage, ServerResponse } from "node:http";

const NOT_IMPLEMENTED = 501;

export function createPartLists() {
  const uploads = new Map<string, Map<number, string>>();

  function getParts(uploadId: string): Map<number, string> {
    const parts = uploads.get(uploadId) ?? new Map<number, string>();
    uploads.set(uploadId, parts);
    return parts;
  }

  return {
    /** Records the ETag of an uploaded part from a request and Miniflare's response. */
    recordRequest({ method, url = "/" }: IncomingMessage, { statusCode, headers }: IncomingMessage): void {
      const query = new URL(url, "http://bucket").searchParams;
      const [uploadId, partNumber] = [query.get("uploadId"), Number(query.get("partNumber"))];
      if (!uploadId || statusCode === undefined || statusCode >= 300) return;
      if (method === "PUT" && headers.etag) getParts(uploadId).set(partNumber, headers.etag);
      if (method === "POST" || method === "DELETE") uploads.delete(uploadId);
    },

    /** Replaces a 501 of Miniflare, which has checked the signature; returns false for any other response. */
    sendPartList(
      { method, url = "/" }: IncomingMessage,
      innerResponse: IncomingMessage,
      response: ServerResponse,
    ): boolean {
      const uploadId = new URL(url, "http://bucket").searchParams.get("uploadId");
      const etags = uploads.get(uploadId ?? "");
      if (method !== "GET" || !etags || innerResponse.statusCode !== NOT_IMPLEMENTED) return false;
      innerResponse.resume();
      const parts = [...etags]
        .sort(([a], [b]) => a - b)
        .map(([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`);
      const body = `<ListPartsResult><IsTruncated>false</IsTruncated>${parts.join("")}</ListPartsResult>`;
      response.writeHead(200, { "content-type": "application/xml", "content-length": Buffer.byteLength(body) });
      response.end(body);
      return true;
    },
  };
}
