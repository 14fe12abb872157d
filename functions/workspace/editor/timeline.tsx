// The timeline: a track per row, text above video. Bars are links that open their fields; the script places and moves them.
import type { FC } from "hono/jsx";
import type { ProjectClip, ProjectDocument, ProjectTextClip } from "../../../lib/shared/project-document.ts";
import { formatTime } from "../scripts/shared/time.ts";
import type { Selection } from "./project-view.ts";

interface TimelineProps {
  document: ProjectDocument;
  /** The part of the text clips that the page lists. */
  texts: ProjectTextClip[];
  durationMs: number;
  selection: Selection | null;
  canEdit: boolean;
}

export const Timeline: FC<TimelineProps> = ({ document, texts, durationMs, selection, canEdit }) => {
  const names = nameAssets(document);
  const tracks = [...Map.groupBy(document.clips, ({ track }) => track)].sort(([a], [b]) => b - a);
  return (
    <section aria-labelledby="timeline-title" data-part="timeline">
      <h2 id="timeline-title">Timeline</h2>
      <p class="hint" id="timeline-help">
        {canEdit
          ? "Drag a clip to move it, and its edges to trim it. On the keyboard, the arrow keys move the focused clip by a tenth of a second, with Shift by a second; Enter opens its fields, where it is trimmed and split too."
          : "Choose a clip to see its times."}
      </p>
      {canEdit && (
        <p class="row">
          <a class="button" href="?add" data-load>
            Add files
          </a>
        </p>
      )}
      <div class="timeline card" data-duration={durationMs} data-editable={canEdit ? "true" : undefined}>
        <Row label="Text">
          {texts.map((clip) => (
            <Bar
              kind="text"
              clip={clip}
              label={clip.text}
              isSelected={selection?.kind === "text" && selection.id === clip.clip_id}
            />
          ))}
        </Row>
        {tracks.map(([track, clips]) => (
          <Row label={`Track ${track + 1}`}>
            {[...clips]
              .sort((a, b) => a.start_ms - b.start_ms)
              .map((clip) => (
                <Bar
                  kind="clip"
                  clip={clip}
                  label={`${names.get(clip.asset_id) ?? "Clip"}${clip.muted ? ", muted" : ""}`}
                  isSelected={selection?.kind === "clip" && selection.id === clip.clip_id}
                />
              ))}
          </Row>
        ))}
        <div class="playhead" aria-hidden="true" />
      </div>
    </section>
  );
};

/** `Video 1`, `Image 2`: the files in the order in which they were added. */
export function nameAssets({ assets }: Pick<ProjectDocument, "assets">): Map<string, string> {
  const words = { video: "Video", image: "Image", audio: "Audio" } as const;
  return new Map(assets.map(({ asset_id, type }, at) => [asset_id, `${words[type]} ${at + 1}`]));
}

const Row: FC<{ label: string; children: unknown }> = ({ label, children }) => (
  <div class="track">
    <span class="name" aria-hidden="true">
      {label}
    </span>
    <ul aria-label={label}>{children}</ul>
  </div>
);

interface BarProps {
  kind: Selection["kind"];
  clip: ProjectTextClip | ProjectClip;
  label: string;
  isSelected: boolean;
}

const Bar: FC<BarProps> = ({ kind, clip, label, isSelected }) => (
  <li>
    <a
      class={`bar ${kind}`}
      href={`?${kind}=${encodeURIComponent(clip.clip_id)}`}
      data-load
      data-kind={kind}
      data-id={clip.clip_id}
      data-start={clip.start_ms}
      data-end={clip.end_ms}
      data-from={"speed" in clip ? clip.source_start_ms : undefined}
      data-until={"speed" in clip ? clip.source_end_ms : undefined}
      data-speed={"speed" in clip ? clip.speed : undefined}
      aria-current={isSelected ? "true" : undefined}
      aria-describedby="timeline-help"
      draggable="false"
    >
      <span class="label">{label}</span>{" "}
      <span class="visually-hidden">
        {formatTime(clip.start_ms)} to {formatTime(clip.end_ms)}
      </span>
    </a>
  </li>
);
