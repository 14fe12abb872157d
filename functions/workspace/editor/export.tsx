// The export of a project: its captions as files. The service makes no video of a project.
import type { FC } from "hono/jsx";
import type { StoredProject } from "../../../lib/queries/editor.ts";

export const Export: FC<{ project: StoredProject; base: string }> = ({ project, base }) => {
  const hasCaptions = project.document.text_clips.some(({ role }) => role === "caption");
  const { render } = project.document;
  return (
    <section class="card" aria-labelledby="export-title" data-part="export">
      <h2 id="export-title">Export</h2>
      {hasCaptions ? (
        <p class="row">
          <a class="button" href={`${base}/captions.srt`} download>
            Captions as SRT
          </a>
          <a class="button" href={`${base}/captions.vtt`} download>
            Captions as WebVTT
          </a>
        </p>
      ) : (
        <p class="hint">Captions can be downloaded here once they are written.</p>
      )}
      {render.url && (
        <p>
          <a href={render.url}>The finished video</a>
          {render.status === "stale" && <small> from before the last changes</small>}
        </p>
      )}
      <details class="help">
        <summary>Where is the finished video?</summary>
        <p>
          A project keeps the cut and the captions; it is not turned into one video file here. Upload the captions
          beside the video where a network or a player takes them: SRT is the most common form, WebVTT the one of web
          pages.
        </p>
      </details>
    </section>
  );
};
