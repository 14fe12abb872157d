// The drawing service: takes one slide as JSON and answers with its picture.
import { download, type Guard, whyUnreachable } from "../guard.ts";
import { LIMITS } from "../media/limits.ts";
import { refusalOf } from "../media/refusal.ts";
import { buffersUpTo } from "./buffers.ts";
import { type Files, type FontStore, openFontStore } from "./font-store.ts";
import type { Gate } from "./gate.ts";
import { CONTENT_TYPE, HEIGHT, MEMORY, type Order, type Refused, WIDTH } from "./order.ts";
import { pictureOf, type Tools } from "./picture.ts";
import type { Painter } from "./renderer.ts";
import { type Picture, picturesOf, sceneOf, type Wanted } from "./scene.ts";
import { drawingOf } from "./settings.ts";
import { typeset } from "./text.ts";
import { turnsFor } from "./turns.ts";

export interface Io {
  /** What `.fonts/` holds. */
  fonts: Files;
  fetch: typeof fetch;
  resolveHost: Guard["resolveHost"];
}

export type Service = (request: Request, io: Io) => Promise<Response>;

/** Slides in hand at once: while one waits for its pictures another one is drawn, and memory holds that many. */
const AT_ONCE = 2;
const FETCH_WITHIN_MS = 15_000;
/** All pictures of a slide together; where overlays would need more, all of them are drawn a little coarser. */
const PIXELS_AT_MOST = 6_000_000;
const BUFFER_BYTES_KEPT = 20 * 1024 * 1024;

interface Opened {
  painter: Painter;
  fonts: FontStore;
  turns: Gate;
  tools: Tools;
}

/** What it needs is opened with the first slide: a start of the Worker costs nothing then. */
export function openService(open: () => Painter): Service {
  let opened: Opened | null = null;
  return async (request, io) => {
    if (request.method !== "POST") return new Response("POST one slide.", { status: 405, headers: { Allow: "POST" } });
    opened ??= openWith(open(), io.fonts);
    const { painter, turns } = opened;
    const order: Order = await request.json();
    const drawn = await turns(() => draw(order, io, opened as Opened));
    if ("why" in drawn) return Response.json(drawn satisfies Refused, { status: 422 });
    const { width, height } = drawingOf(order.settings).canvas;
    return new Response(drawn.bytes, {
      headers: {
        "Content-Type": CONTENT_TYPE,
        [WIDTH]: String(width),
        [HEIGHT]: String(height),
        [MEMORY]: String(painter.memory()),
      },
    });
  };
}

function openWith(painter: Painter, fonts: Files): Opened {
  const tools = { rasterize: painter.rasterize, buffers: buffersUpTo(BUFFER_BYTES_KEPT) };
  return { painter, fonts: openFontStore(fonts), turns: turnsFor(AT_ONCE), tools };
}

async function draw(order: Order, io: Io, { painter, fonts, tools }: Opened): Promise<{ bytes: Uint8Array } | Refused> {
  const { slide, settings } = order;
  const text = typeset(
    slide.text_elements.map(({ content }) => content),
    await fonts.index(),
  );
  if (text.missing.length > 0) return { why: "text", message: unknownCharacters(text.missing) };
  const pictures: Picture[] = [];
  try {
    for (const wanted of withinMemory(picturesOf(slide, settings))) {
      const picture = await prepare(wanted, order, io, tools);
      if ("why" in picture) return picture;
      pictures.push(picture);
    }
    const faces = await fonts.load(text.faces);
    const scene = sceneOf(slide, settings, pictures, text);
    return { bytes: await painter.paint(scene, drawingOf(settings).canvas, faces, text.language, "jpeg") };
  } catch (error) {
    const color = unknownColor(error);
    if (color === null) throw error;
    return { why: "text", message: `${color} is no colour that can be drawn. Write one such as #ff0000 or red.` };
  } finally {
    for (const { data } of pictures) tools.buffers.giveBack(data);
  }
}

/** One after the other: the bytes of an image are let go before those of the next one come. */
async function prepare(wanted: Wanted, { allowedHosts }: Order, io: Io, tools: Tools): Promise<Picture | Refused> {
  const guard = { fetch: io.fetch, resolveHost: io.resolveHost, allowedHosts };
  const refused = (why: string): Refused => ({ why: "image", message: `${wanted.url}: ${why}` });
  let bytes: Uint8Array | null;
  try {
    bytes = await download(guard, wanted.url, { most: LIMITS.imageBytes, withinMs: FETCH_WITHIN_MS });
  } catch (error) {
    return refused(whyUnreachable(error));
  }
  if (!bytes) return refused("The image has more than 20 MiB.");
  try {
    return await pictureOf(bytes, wanted, tools);
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return refused(refusal.message);
  }
}

function withinMemory(wanted: Wanted[]): Wanted[] {
  const pixels = wanted.reduce((sum, { width, height }) => sum + width * height, 0);
  if (pixels <= PIXELS_AT_MOST) return wanted;
  const scale = Math.sqrt(PIXELS_AT_MOST / pixels);
  const smaller = (length: number) => Math.max(1, Math.floor(length * scale));
  return wanted.map((one) => ({ ...one, width: smaller(one.width), height: smaller(one.height) }));
}

/** A colour is any CSS colour, and the renderer alone knows them all. */
function unknownColor(error: unknown): string | null {
  return /invalid value for \S*color\b.*?: string "([^"]*)"/i.exec(String(error))?.[1] ?? null;
}

const NAMED_AT_MOST = 5;

function unknownCharacters(missing: string[]): string {
  const named = missing.slice(0, NAMED_AT_MOST).join(" ");
  const more = missing.length > NAMED_AT_MOST ? ` and ${missing.length - NAMED_AT_MOST} more` : "";
  return `No font can draw these characters of its text: ${named}${more}. Leave them out or write them differently.`;
}
