// The sound of a stored video, taken out of it by the media Worker.
import type { Env } from "../env.ts";
import { refuse, unavailable } from "../errors.ts";
import { askMedia } from "../media/remote.ts";
import type { Located } from "../media/url-source.ts";
import { END, FILENAME, GAP, OFFSET, type SoundOrder, UNKNOWN_SOUND, UNREADABLE } from "./order.ts";
import type { Part, Sound } from "./sound.ts";

/** Its parts throw `invalid_document` when the file's sound cannot be transcribed or is damaged. */
export function remoteSound(env: Env, file: Located): Sound {
  return {
    async part(startMs, endMs) {
      const order: SoundOrder = { ...file, startMs, endMs };
      const answer = await askMedia(env, "sound", { body: JSON.stringify(order) });
      if (answer.status === 204) return null;
      if (answer.ok) return partOf(answer);
      if (answer.status === UNKNOWN_SOUND) {
        throw refuse("invalid_document", "The cut has sound of a kind that cannot be transcribed.");
      }
      const said = await answer.text();
      throw answer.status === UNREADABLE
        ? refuse("invalid_document", said)
        : unavailable("file storage", new Error(said));
    },
    // Each part is an order of its own; nothing stays open.
    close: () => undefined,
  };
}

async function partOf(answer: Response): Promise<Part> {
  const { headers } = answer;
  return {
    file: {
      bytes: new Uint8Array(await answer.arrayBuffer()),
      contentType: headers.get("Content-Type") ?? "",
      filename: headers.get(FILENAME) ?? "",
    },
    offset: Number(headers.get(OFFSET)),
    endMs: Number(headers.get(END)),
    gap: headers.get(GAP) === "true",
  };
}
