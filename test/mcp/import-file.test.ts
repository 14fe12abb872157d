// Files by URL: copied, verified, and refused with a reason.
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBindings, createTestTenant, vars } from "../support/harness.ts";
import { connectAgent, createMcpFetch } from "./agent.ts";

let server: Server;
let base: string;
const bytes = await readFile(join(import.meta.dirname, "../local/demo.mp4"));

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === "/missing.mp4") response.writeHead(404).end();
    else if (request.url === "/page") response.writeHead(200, { "Content-Type": "text/html" }).end("<p>");
    else if (request.url === "/named-text")
      response.writeHead(200, { "Content-Type": "text/plain", "Content-Length": bytes.length }).end(bytes);
    else if (request.url === "/unsized.mp4")
      response.writeHead(200, { "Content-Type": "video/mp4" }).write(bytes, () => response.end());
    else if (request.url === "/false.mp4")
      response.writeHead(200, { "Content-Type": "video/mp4", "Content-Length": 4 }).end("text");
    else response.writeHead(200, { "Content-Type": "video/mp4", "Content-Length": bytes.length }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

test("a video is copied and can be used in a post; what is no file, or has no size, is refused", async () => {
  const { token } = await createTestTenant();
  const allowed = `${vars.ALLOWED_PRIVATE_HOSTS},${new URL(base).host}`;
  const bindings = { ...createBindings([]), PUBLIC_URL: "http://agents.test", ALLOWED_PRIVATE_HOSTS: allowed };
  const agent = await connectAgent(token, "2026-07-28", createMcpFetch(bindings));
  const importUrl = async (url: string) => {
    const { isError, structuredContent, content } = await agent.callTool({ name: "import_file", arguments: { url } });
    const [first] = content as { text: string }[];
    return { isError, data: structuredContent, text: JSON.parse(first?.text ?? "") };
  };
  const { data } = await importUrl(`${base}/clip.mp4`);
  expect(data).toMatchObject({
    file: {
      contentType: "video/mp4",
      size: bytes.length,
      filename: "clip.mp4",
      url: expect.stringContaining(`${vars.CDN_URL}`),
    },
    attestation: { hasVideoStream: true },
  });
  expect((await importUrl(`${base}/named-text`)).data).toMatchObject({ file: { contentType: "video/mp4" } });
  const errors = {
    "/missing.mp4": ["media_unreachable", "The URL returned HTTP 404."],
    "/page": ["upload_failed", "The URL returned text/html."],
    "/unsized.mp4": ["media_unreachable", "The server does not say how large the file is."],
    "/false.mp4": ["upload_failed", ""],
  };
  for (const [path, [code, message]] of Object.entries(errors)) {
    const { isError, text } = await importUrl(`${base}${path}`);
    expect([path, isError, text.error_code]).toEqual([path, true, code]);
    expect(text.message).toContain(message);
  }
  for (const url of ["http://10.0.0.1/a.mp4", "http://localhost/a.mp4", "http://169.254.169.254/latest"]) {
    expect((await importUrl(url)).text.error_code).toBe("media_unreachable");
  }
  expect((await importUrl("/Users/a/clip.mp4")).text).toMatchObject({ ok: false, code: 422 });
});
