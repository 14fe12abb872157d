// A proxy that forwards everything, and can lose the response to a request that took effect, or the request itself.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface DroppingProxy {
  url: string;
  /** Loses the next request whose path ends with `name`, before or after it takes effect. */
  drop(name: string, when: "before" | "after"): void;
  close(): Promise<void>;
}

export async function startDroppingProxy(target: string): Promise<DroppingProxy> {
  let pending: { name: string; when: "before" | "after" } | null = null;
  const server = createServer((req, res) => {
    forward(req, res).catch(() => res.destroy());
  });

  async function forward(req: IncomingMessage, res: ServerResponse) {
    const path = req.url ?? "/";
    const lost = pending && new URL(path, target).pathname.endsWith(pending.name) ? pending.when : null;
    if (lost) pending = null;
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    if (lost === "before") return void res.destroy();
    const headers = new Headers();
    for (const name of ["authorization", "content-type"]) {
      const value = req.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
    const response = await fetch(target + path, { method: req.method ?? "GET", headers, body });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (lost === "after") return void res.destroy();
    res.writeHead(response.status, { "content-type": response.headers.get("content-type") ?? "text/plain" });
    res.end(bytes);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    drop: (name, when) => {
      pending = { name, when };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
