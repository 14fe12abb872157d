// Request handler of the media Worker that extracts an audio clip from a stored video; stateless between requests.

import { createUrlSource } from "../media/url-source.ts";
import { toApiError } from "../shared/errors.ts";
import { type AudioClip, openAudioReader } from "./audio-clip.ts";
import {
  type ClipRequest,
  END_HEADER,
  FILENAME_HEADER,
  GAP_HEADER,
  OFFSET_HEADER,
  STORAGE_ERROR_STATUS,
  UNREADABLE_STATUS,
  UNSUPPORTED_AUDIO_STATUS,
} from "./worker-protocol.ts";

export async function handleReadClip(request: Request, fetcher: typeof fetch): Promise<Response> {
  const { startMs, endMs, ...location }: ClipRequest = await request.json();
  try {
    const audio = await openAudioReader(createUrlSource(fetcher, location));
    if (!audio) return new Response(null, { status: UNSUPPORTED_AUDIO_STATUS });
    const clip = await audio.readClip(startMs, endMs);
    audio.close();
    return clip ? buildClipResponse(clip) : new Response(null, { status: 204 });
  } catch (error) {
    const status = toApiError(error)?.code === "invalid_document" ? UNREADABLE_STATUS : STORAGE_ERROR_STATUS;
    return new Response(error instanceof Error ? error.message : String(error), { status });
  }
}

function buildClipResponse({ file, offset, endMs, gap }: AudioClip): Response {
  return new Response(file.bytes, {
    headers: {
      "Content-Type": file.contentType,
      [FILENAME_HEADER]: file.filename,
      [OFFSET_HEADER]: String(offset),
      [END_HEADER]: String(endMs),
      [GAP_HEADER]: String(gap),
    },
  });
}
