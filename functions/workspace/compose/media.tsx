// The files of a post in the composer: added from this device or the workspace's files, put in order, with a cover for a video.
import type { FC } from "hono/jsx";
import { ACCEPTED_FILES } from "../files/file-words.ts";

export const MediaCard: FC = () => (
  <fieldset class="card">
    <legend class="visually-hidden">Media</legend>
    <label class="drop" id="drop" for="files">
      <strong>Add a video or images</strong>
      <span class="hint">Drop them here, or choose files. An upload resumes after a lost connection.</span>
      <input id="files" type="file" multiple accept={ACCEPTED_FILES} />
    </label>
    <p class="row">
      <button type="button" id="library-open">
        Choose from the files of the workspace
      </button>
    </p>
    {/* The one player of the page: the cover is chosen on it, and the previews show its frame. */}
    <video id="player" class="player" controls preload="metadata" playsinline hidden>
      <track kind="captions" />
    </video>
    <Cover />
    <ol id="uploads" class="uploads" aria-label="Media of the post" />
    <p id="uploads-note" class="visually-hidden" role="status" />
    <dialog id="library" class="large" aria-labelledby="library-title">
      <h2 id="library-title">Files of the workspace</h2>
      <div id="library-list" class="library" />
      <p class="row">
        <button type="button" id="library-more" hidden>
          Older files
        </button>
        <button type="button" id="library-close">
          Close
        </button>
      </p>
    </dialog>
  </fieldset>
);

const Cover: FC = () => (
  <div id="cover-part" class="cover" hidden>
    <label class="check">
      <input type="checkbox" id="cover-own" aria-describedby="cover-hint" /> Choose the cover
    </label>
    <p id="cover-hint" class="hint">
      The frame that TikTok and Instagram show before the video plays. YouTube takes a picture, below.
    </p>
    <div id="cover-choice" hidden>
      <label for="cover">Cover at</label> <output id="cover-at" for="cover" />
      <input id="cover-ms" type="hidden" />
      <input id="cover" type="range" min={0} max={0} step={100} value="0" />
    </div>
  </div>
);
