// A small media host for driver tests: images and videos with range requests; unknown paths return 404. With `?unsized` it names
// no size and has no ranges, with `?gzip` it compresses without being asked.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

export interface MediaHost {
  url(name: string): string;
  /** Hash of a file, to compare with what a network received. */
  sha256(name: string): string;
  bytes(name: string): number;
  close(): Promise<void>;
}

/** Images begin as images do. */
const MAGIC: Record<string, number[]> = {
  jpg: [0xff, 0xd8, 0xff, 0xe0],
  png: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
};
const TYPES: Record<string, string> = { jpg: "image/jpeg", png: "image/png", mp4: "video/mp4", html: "text/html" };

/** Sizes per file name; the content is derived from the position, so that swapped chunks change the hash. */
export async function startMediaHost(sizes: Record<string, number>): Promise<MediaHost> {
  const files = new Map(Object.entries(sizes).map(([name, size]) => [name, createFile(name, size)]));
  const server = createServer((req, res) => {
    const [name = "", how] = (req.url ?? "/").slice(1).split("?");
    const file = files.get(name);
    if (!file) return void res.writeHead(404, { "content-length": 9 }).end("not found");
    const type = TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
    if (how === "unsized") {
      res.writeHead(200, { "content-type": type });
      return void (req.method === "HEAD" ? res.end() : res.write(file, () => res.end()));
    }
    if (how === "gzip") {
      const packed = gzipSync(file);
      res.writeHead(200, { "content-type": type, "content-encoding": "gzip", "content-length": packed.length });
      return void (req.method === "HEAD" ? res.end() : res.end(packed));
    }
    const base = { "content-type": type, "accept-ranges": "bytes" };
    const range = /^bytes=(\d+)-(\d*)$/.exec(req.headers.range ?? "");
    if (!range) {
      res.writeHead(200, { ...base, "content-length": file.length });
      return void (req.method === "HEAD" ? res.end() : res.end(file));
    }
    const first = Number(range[1]);
    const last = Math.min(range[2] ? Number(range[2]) : file.length - 1, file.length - 1);
    const part = file.subarray(first, last + 1);
    res.writeHead(206, {
      ...base,
      "content-range": `bytes ${first}-${last}/${file.length}`,
      "content-length": part.length,
    });
    res.end(part);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const need = (name: string) => {
    const file = files.get(name);
    if (!file) throw new Error(`no media file ${name}`);
    return file;
  };
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    sha256: (name) => createHash("sha256").update(need(name)).digest("hex"),
    bytes: (name) => need(name).length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createFile(name: string, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 4096) bytes.writeUInt32LE(at, at);
  bytes.set((MAGIC[name.split(".").at(-1) ?? ""] ?? []).slice(0, size));
  return bytes;
}
