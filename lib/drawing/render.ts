// Draws the slides of a slideshow into pictures that posts may name: every one of them, or none.
import { createHash } from "node:crypto";
import type { Call } from "../call.ts";
import { type Code, refusalOf, refuse } from "../errors.ts";
import * as pictures from "../queries/pictures.ts";
import type { BareSlide } from "../schemas/slide.ts";
import type { Scope } from "../scope.ts";
import { type Drawn, drawSlide, unreachable } from "./draw.ts";
import { gateFor } from "./gate.ts";
import { printOf } from "./print.ts";
import { picturesOf } from "./scene.ts";
import type { DrawnSettings } from "./settings.ts";
import { versionsOf } from "./versions.ts";

/** What of a call drawing needs; hand in the call itself. */
export type DrawIo = Pick<Call, "db" | "bucket" | "env" | "fetch" | "resolveHost" | "now">;

/** What an endpoint that renders has to list in `refuses`. */
export const RENDER_REFUSALS = [
  "image_unreachable",
  "slide_undrawable",
  "provider_unavailable",
] as const satisfies Code[];

const DRAWN_AT_ONCE = 2;
/** So many are drawn and put into the bucket before the next ones are: their bytes lie in memory in between. */
const HELD_AT_MOST = 8;
/** By then the picture is recorded, or its object goes again. */
const RECORDED_WITHIN_MS = 60 * 60 * 1000;

/** A picture that there should be: its id follows from the scope and from what it shows. */
interface Due {
  id: string;
  slide: BareSlide;
  /** Counted from 1, as a person does. */
  number: number;
}

/**
 * The URLs of the pictures, in the order of the slides. Pictures that exist are not drawn again. On any failure nothing
 * is recorded and a refusal names the slide, counted from 1.
 */
export async function renderSlides(
  io: DrawIo,
  scope: Scope,
  slides: BareSlide[],
  settings: DrawnSettings,
): Promise<{ url: string }[]> {
  const due = await identify(io, scope, slides, settings);
  const known = await pictures.find(io.db, scope, [...new Set(due.map(({ id }) => id))]);
  const urls = new Map(known.map(({ id, url }) => [id, url]));
  const missing = [...new Map(due.map((one) => [one.id, one])).values()].filter(({ id }) => !urls.has(id));

  const drawn: pictures.PictureRow[] = [];
  for (let from = 0; from < missing.length; from += HELD_AT_MOST) {
    drawn.push(...(await drawAndStore(io, missing.slice(from, from + HELD_AT_MOST), settings)));
  }
  const stored = drawn.length > 0 ? await pictures.insert(io.db, scope, drawn) : [];
  for (const { id, url } of stored) urls.set(id, url);
  return due.map(({ id }) => ({ url: urls.get(id) ?? "" }));
}

async function identify(io: DrawIo, scope: Scope, slides: BareSlide[], settings: DrawnSettings): Promise<Due[]> {
  const wanted = slides.map((slide) => picturesOf(slide, settings).map(({ url }) => url));
  const asked = await versionsOf(io, wanted.flat());
  const versions = new Map<string, string>();
  for (const [at, urls] of wanted.entries()) {
    for (const url of urls) {
      const found = asked.get(url);
      if (found && "why" in found) throw unreachable(`slide ${at + 1}: ${url}: ${found.why}`);
      if (found) versions.set(url, found.version);
    }
  }
  return slides.map((slide, at) => ({ id: idOf(scope, printOf(slide, settings, versions)), slide, number: at + 1 }));
}

/** A UUID of version 8: its content is ours to define. */
function idOf(scope: Scope, print: string): string {
  const hex = createHash("sha256").update(`${scope.id} ${print}`).digest("hex");
  const variant = (8 + (Number.parseInt(hex.charAt(16), 16) % 4)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

async function drawAndStore(io: DrawIo, due: Due[], settings: DrawnSettings): Promise<pictures.PictureRow[]> {
  const drawn = await drawAll(io, due, settings);
  const rows = drawn.map(({ id, picture }) => rowOf(io, id, picture));
  const dueAt = new Date(io.now.getTime() + RECORDED_WITHIN_MS);
  await pictures.planRemovals(
    io.db,
    rows.map(({ id, objectKey }) => ({ bucket: "files", objectKey, multipartId: null, fileId: id, dueAt })),
  );
  const bucket = await io.bucket();
  await Promise.all(
    drawn.map(({ picture }, at) => bucket.put(rows[at]?.objectKey ?? "", picture.bytes, picture.contentType)),
  );
  return rows;
}

/** After the first that fails no further ones are begun. */
async function drawAll(
  { env }: DrawIo,
  due: Due[],
  settings: DrawnSettings,
): Promise<{ id: string; picture: Drawn }[]> {
  const gate = gateFor(DRAWN_AT_ONCE);
  const failures: { number: number; error: unknown }[] = [];
  const drawing = due.map(({ id, slide, number }) =>
    gate(async () => {
      if (failures.length > 0) return [];
      try {
        return [{ id, picture: await drawSlide(env, slide, settings) }];
      } catch (error) {
        failures.push({ number, error });
        return [];
      }
    }),
  );
  const drawn = await Promise.all(drawing);
  const [first] = failures.sort((a, b) => a.number - b.number);
  if (first) throw named(first.error, first.number);
  return drawn.flat();
}

/** The same refusal, naming the slide. */
function named(error: unknown, number: number): unknown {
  const refusal = refusalOf(error);
  return refusal ? refuse(refusal.code, `slide ${number}: ${refusal.message}`, refusal.extra) : error;
}

/** Under the hash of its bytes, in a folder of its own: no other file's removal takes the object away. */
function rowOf({ env, now }: DrawIo, id: string, { bytes, sha256, ...picture }: Drawn): pictures.PictureRow {
  const objectKey = `slides/${id}/${sha256}.jpg`;
  const url = `${env.CDN_URL.replace(/\/$/, "")}/${objectKey}`;
  return { id, objectKey, url, sha256, size: bytes.length, ...picture, createdAt: now };
}
