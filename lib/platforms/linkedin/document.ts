// Builds a LinkedIn carousel: a PDF with one JPEG per page, streamed without buffering the images.
import { getMediaSize, openRange } from "../media.ts";
import { contentFailure, type Job, type MediaFile } from "../platform.ts";
import { CAROUSEL_NEEDS_JPEG } from "./content.ts";
import { type JpegInfo, readJpegHeader } from "./jpeg.ts";
import { LINKEDIN } from "./rules.ts";

// Color profiles and previews precede the frame header of a JPEG and rarely exceed this size.
const HEAD_BYTES = 512 * 1024;
/** Length of the longer side of a page, in points. */
const PAGE_SIDE = 1080;

const COLORS: Record<number, string> = { 1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK" };

export interface Page extends JpegInfo {
  url: string;
  bytes: number;
}

export interface Document {
  size: number;
  /** PDF syntax as text, and the images in between. */
  pieces: (string | Page)[];
}

export async function loadPage(job: Job, file: MediaFile): Promise<Page> {
  const bytes = await getMediaSize(job, file);
  const range = { first: 0, last: Math.min(bytes, HEAD_BYTES) - 1, total: bytes };
  const head = new Uint8Array(await new Response(await openRange(job, file.url, range)).arrayBuffer());
  const facts = readJpegHeader(head);
  if (facts) return { ...facts, url: file.url, bytes };
  throw contentFailure(CAROUSEL_NEEDS_JPEG.code, CAROUSEL_NEEDS_JPEG.message);
}

/** Builds the layout of the file, so that its size is known before the first byte is sent. */
export function buildDocument(pages: readonly Page[]): Document {
  const pieces: (string | Page)[] = ["%PDF-1.4\n"];
  const offsets: number[] = [];
  let size = 9;
  const add = (...parts: (string | Page)[]) => {
    pieces.push(...parts);
    for (const part of parts) size += typeof part === "string" ? part.length : part.bytes;
  };
  const object = (...parts: (string | Page)[]) => {
    offsets.push(size);
    add(`${offsets.length} 0 obj\n`, ...parts, "\nendobj\n");
  };
  const kids = pages.map((_, at) => `${3 + at * 3} 0 R`).join(" ");
  object("<< /Type /Catalog /Pages 2 0 R >>");
  object(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  for (const page of pages) addPage(page, offsets.length + 1, object);
  const start = size;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  add(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${entries}`);
  add(`trailer\n<< /Size ${offsets.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
  if (size <= LINKEDIN.documentBytes) return { size, pieces };
  throw contentFailure(
    "carousel_too_large",
    "The images of a LinkedIn carousel must be at most 100 MB in total. Use smaller ones.",
  );
}

/** Adds three objects: the page, its content stream and the image. */
function addPage(page: Page, number: number, object: (...parts: (string | Page)[]) => void): void {
  const rotated = page.orientation > 4;
  const [wide, high] = rotated ? [page.height, page.width] : [page.width, page.height];
  const scale = PAGE_SIDE / Math.max(wide, high);
  const [w, h] = [wide * scale, high * scale].map((side) => Number(side.toFixed(2)));
  const operators = `q ${getImageMatrix(page.orientation, w ?? 0, h ?? 0)} cm /I Do Q`;
  const resources = `/Resources << /XObject << /I ${number + 2} 0 R >> >> /Contents ${number + 1} 0 R`;
  object(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${w} ${h}] ${resources} >>`);
  object(`<< /Length ${operators.length} >>\nstream\n${operators}\nendstream`);
  const colors = `/ColorSpace ${COLORS[page.components]} /BitsPerComponent 8`;
  const decode = page.inverted ? " /Decode [1 0 1 0 1 0 1 0]" : "";
  const image = `/Type /XObject /Subtype /Image /Width ${page.width} /Height ${page.height} ${colors}${decode}`;
  object(`<< ${image} /Filter /DCTDecode /Length ${page.bytes} >>\nstream\n`, page, "\nendstream");
}

/** Returns the transformation matrix of the image; PDF readers ignore the EXIF orientation. */
function getImageMatrix(orientation: number, w: number, h: number): string {
  const upright = [w, 0, 0, h, 0, 0];
  const rotations: Record<number, number[]> = {
    2: [-w, 0, 0, h, w, 0],
    3: [-w, 0, 0, -h, w, h],
    4: [w, 0, 0, -h, 0, h],
    5: [0, -h, -w, 0, w, h],
    6: [0, -h, w, 0, 0, h],
    7: [0, h, w, 0, 0, 0],
    8: [0, h, -w, 0, w, 0],
  };
  return (rotations[orientation] ?? upright).join(" ");
}

/** Returns the file as a stream of known length, so that it is sent with Content-Length instead of chunked. */
export function streamDocument(job: Job, { pieces, size }: Document): ReadableStream<Uint8Array> {
  const parts = writePieces(job, pieces);
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
  // Workers send the length of a FixedLengthStream only; Node uses the header.
  return typeof FixedLengthStream === "undefined" ? stream : stream.pipeThrough(new FixedLengthStream(size));
}

async function* writePieces(job: Job, pieces: Document["pieces"]): AsyncGenerator<Uint8Array, void, undefined> {
  const text = new TextEncoder();
  for (const piece of pieces) {
    if (typeof piece === "string") yield text.encode(piece);
    else yield* await openRange(job, piece.url, { first: 0, last: piece.bytes - 1, total: piece.bytes });
  }
}
