// Reads audio clips of a stored video through the media Worker.

import type { ObjectLocation } from "../media/url-source.ts";
import { callMediaWorker } from "../media/worker-client.ts";
import type { Env } from "../services/env.ts";
import { apiError, unavailableError } from "../shared/errors.ts";
import type { AudioClip, AudioReader } from "./audio-clip.ts";
import {
  type ClipRequest,
  END_HEADER,
  FILENAME_HEADER,
  GAP_HEADER,
  OFFSET_HEADER,
  UNREADABLE_STATUS,
  UNSUPPORTED_AUDIO_STATUS,
} from "./worker-protocol.ts";

/** `readClip` throws `invalid_document` when the file's audio is damaged or cannot be transcribed. */
export function openRemoteAudio(env: Env, file: ObjectLocation): AudioReader {
  return {
    async readClip(startMs, endMs) {
      const request: ClipRequest = { ...file, startMs, endMs };
      const response = await callMediaWorker(env, "sound", { body: JSON.stringify(request) });
      if (response.status === 204) return null;
      if (response.ok) return readClipResponse(response);
      if (response.status === UNSUPPORTED_AUDIO_STATUS) {
        throw apiError(
          "invalid_document",
          "The project uses an audio codec that cannot be transcribed. Mute the clip or replace its file.",
        );
      }
      const message = await response.text();
      throw response.status === UNREADABLE_STATUS
        ? apiError("invalid_document", message)
        : unavailableError("file storage", new Error(message));
    },
    // Each clip is a separate request, so there is nothing to close.
    close: () => undefined,
  };
}

async function readClipResponse(response: Response): Promise<AudioClip> {
  const { headers } = response;
  return {
    file: {
      bytes: new Uint8Array(await response.arrayBuffer()),
      contentType: headers.get("Content-Type") ?? "",
      filename: headers.get(FILENAME_HEADER) ?? "",
    },
    offset: Number(headers.get(OFFSET_HEADER)),
    endMs: Number(headers.get(END_HEADER)),
    gap: headers.get(GAP_HEADER) === "true",
  };
}
