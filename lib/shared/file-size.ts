// The size of a file by the headers of its server.

/** Headers of a request for a file: the length of compressed bytes is not its size. */
export const UNCOMPRESSED = { "Accept-Encoding": "identity" };

/** The size of the file in a response; null where the server names none, or compresses although it should not. */
export function getBodySize({ headers }: Response): number | null {
  const length = headers.get("content-length");
  return length === null || headers.has("content-encoding") ? null : Number(length);
}
