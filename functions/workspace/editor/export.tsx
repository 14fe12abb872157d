// The export of a project: its captions as files. The service makes no video of a project.
import type { FC } from "hono/jsx";
import type { StoredProject } from "../../../lib/queries/editor.ts";

interface ExportProps {
  project: StoredProject;
  base: string;
  canEdit: boolean;
}

export const Export: FC<ExportProps> = ({ project, base, canEdit }) => {
  const hasCaptions = project.document.text_clips.some(({ role }) => role === "caption");
  const { render, assets } = project.document;
  const [file, another] = assets;
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
      {canEdit && file?.file_id && !another && (
        <p>
          <a class="button" href={`${base.replace(/\/projects\/.*/, "")}/compose?file=${file.file_id}`}>
            Post the uncut file
          </a>
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
