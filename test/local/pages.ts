// A server of pages with Open Graph tags, for the cards of links: good ones, and each kind that a reader has to cope with.
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32, deflateSync } from "node:zlib";
import type { CallCounter } from "./call-counter.ts";
import { sendJson, startHttpServer } from "./http-server.ts";

/** Longer than a reader waits. */
const SLOW_MS = 8_000;
const LARGE_BYTES = 600 * 1024;

const HTML = "text/html; charset=utf-8";

const buildPage = (title: string, picture: string, more = "") => `<!doctype html><html><head>
  <meta property="og:title" content="${title}">
  <meta property="og:description" content="Caf&eacute; &amp; harbour, photographed at dawn.">
  <meta property="og:image" content="${picture}">${more}
  <title>Not this one</title></head><body><p>A page.</p></body></html>`;

/** Bytes that are no UTF-8. */
const encoded = (charset: string, title: number[]) =>
  Buffer.concat([Buffer.from(`<meta charset="${charset}"><title>`), Buffer.from(title), Buffer.from("</title>")]);

type Page = (response: ServerResponse) => void | Promise<void>;

const send =
  (body: string | Buffer, type = HTML, status = 200): Page =>
  (response) => {
    response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
    response.end(body);
  };

const redirect =
  (location: string): Page =>
  (response) => {
    response.writeHead(302, { location });
    response.end();
  };

const PAGES: Readonly<Record<string, Page>> = {
  "/plain": send(buildPage("North Light &mdash; the harbour", "/picture.png")),
  "/without-tags": send("<title>A page without tags</title><p>Text."),
  "/without-title": send("<p>Text."),
  // The tags stand before the limit, or behind it.
  "/large": send(buildPage("A large page", "/picture.png") + " ".repeat(LARGE_BYTES)),
  "/late": send(" ".repeat(LARGE_BYTES) + buildPage("Too late", "/picture.png")),
  "/slow": async (response) => {
    await sleep(SLOW_MS);
    await send(buildPage("Slow", "/picture.png"))(response);
  },
  "/slow-body": async (response) => {
    response.writeHead(200, { "content-type": HTML });
    response.write("<title>");
    await sleep(SLOW_MS);
    response.end("Slow</title>");
  },
  "/redirect": redirect("/plain"),
  "/redirects": redirect("/redirects"),
  "/private": redirect("http://10.0.0.1/"),
  "/windows-1252": send(encoded("windows-1252", [0x93, 0xe9, 0x94]), "text/html"),
  "/shift-jis": send(encoded("shift_jis", [0x83, 0x65, 0x83, 0x58, 0x83, 0x67]), "text/html"),
  "/large-picture": send(buildPage("With a large picture", "/large.png")),
  "/missing-picture": send(buildPage("Without its picture", "/missing.png")),
  "/file": send("%PDF-1.7", "application/pdf"),
  "/error": send("<title>Error</title>", HTML, 500),
  "/picture.png": send(buildPng(1_200, 630, 0), "image/png"),
  "/large.png": send(buildPng(1_200, 630, 2_100_000), "image/png"),
};

/** `GET /` lists the paths. */
export function startPages({ port, calls }: { port: number; calls: CallCounter }) {
  return startHttpServer({
    name: "pages",
    calls,
    port,
    async handle(request, response) {
      const { pathname } = new URL(request.url ?? "/", "http://pages");
      if (pathname === "/") return sendJson(response, 200, { pages: Object.keys(PAGES) });
      const page = PAGES[pathname];
      if (!page) return sendJson(response, 404, { error: "There is no such page." });
      await page(response);
    },
  });
}

/** A grey picture, with a comment of this many bytes. */
function buildPng(width: number, height: number, commentBytes: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0], 8);
  const rows = Buffer.alloc(height * (width + 1), 0x80);
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    toChunk("IHDR", header),
    ...(commentBytes > 0
      ? [toChunk("tEXt", Buffer.concat([Buffer.from("Comment\0"), Buffer.alloc(commentBytes, 0x61)]))]
      : []),
    toChunk("IDAT", deflateSync(rows)),
    toChunk("IEND", Buffer.alloc(0)),
  ]);
}

function toChunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
