// The hearing half of the media Worker: takes a part of a stored video's sound out of it, and keeps nothing between two parts.
import { refusalOf } from "../errors.ts";
import { urlSource } from "../media/url-source.ts";
import { END, FILENAME, GAP, OFFSET, type SoundOrder, STORAGE_AWAY, UNKNOWN_SOUND, UNREADABLE } from "./order.ts";
import { openSound, type Part } from "./sound.ts";

export async function cutSound(request: Request, ask: typeof fetch): Promise<Response> {
  const { startMs, endMs, ...located }: SoundOrder = await request.json();
  try {
    const sound = await openSound(urlSource(ask, located));
    if (!sound) return new Response(null, { status: UNKNOWN_SOUND });
    const part = await sound.part(startMs, endMs);
    sound.close();
    return part ? sent(part) : new Response(null, { status: 204 });
  } catch (error) {
    const status = refusalOf(error)?.code === "invalid_document" ? UNREADABLE : STORAGE_AWAY;
    return new Response(error instanceof Error ? error.message : String(error), { status });
  }
}

function sent({ file, offset, endMs, gap }: Part): Response {
  return new Response(file.bytes, {
    headers: {
      "Content-Type": file.contentType,
      [FILENAME]: file.filename,
      [OFFSET]: String(offset),
      [END]: String(endMs),
      [GAP]: String(gap),
    },
  });
}
