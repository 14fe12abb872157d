// Serves a file like object storage, whole or by ranges, and counts the reads.

import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BenchContext } from "./section.ts";

export interface StoredFile {
  url: string;
  size: number;
  /** Number of ranged reads, their bytes, and number of reads of the whole file. */
  reads: number;
  bytes: number;
  passes: number;
}

export async function serveFile({ onCleanup }: BenchContext, path: string): Promise<StoredFile> {
  const { size } = await stat(path);
  const stored = { url: "", size, reads: 0, bytes: 0, passes: 0 };
  const server = createServer((request, response) => {
    const range = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "");
    const [start, end] = range ? [Number(range[1]), Number(range[2])] : [0, size - 1];
    const length = { "content-length": end - start + 1 };
    if (range) {
      stored.reads += 1;
      stored.bytes += end - start + 1;
      response.writeHead(206, { ...length, "content-range": `bytes ${start}-${end}/${size}` });
    } else {
      stored.passes += 1;
      response.writeHead(200, length);
    }
    createReadStream(path, { start, end, highWaterMark: 1024 * 1024 }).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onCleanup(async () => {
    server.closeAllConnections();
    server.close();
  });
  stored.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return stored;
}
