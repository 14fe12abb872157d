// The fields of the chosen clip. After a conflict they hold the entries of the person.
import type { Child, FC } from "hono/jsx";
import type { StoredProject } from "../../../lib/queries/editor.ts";
import type { LibraryFile } from "../../../lib/queries/file-library.ts";
import { FileChoices } from "../files/file-cards.tsx";
import { formatTime, toSeconds } from "../scripts/shared/time.ts";
import type { Selection } from "./project-view.ts";
import { nameAssets } from "./timeline.tsx";

/** The entries of a person, by the name of the field. */
export type Entries = Record<string, string>;

export interface FieldsProps {
  project: StoredProject;
  selection: Selection | null;
  entries: Entries;
  canEdit: boolean;
  base: string;
}

/** The fields of the chosen clip, files to add, or what to choose. */
export const SelectedFields: FC<FieldsProps & { files: LibraryFile[] | null }> = ({ files, ...props }) => (
  <section class="card" aria-labelledby="edit-title" data-part="edit" id={isClip(props) || files ? "edit" : undefined}>
    {files ? (
      <AddFiles files={files} project={props.project} base={props.base} />
    ) : isClip(props) ? (
      <ClipFields {...props} />
    ) : (
      <>
        <h2 id="edit-title">No clip chosen</h2>
        <p class="hint">Choose a clip in the timeline to trim, split, move or mute it.</p>
      </>
    )}
  </section>
);

const isClip = ({ selection }: FieldsProps) => selection?.kind === "clip";

const AddFiles: FC<{ files: LibraryFile[]; project: StoredProject; base: string }> = ({ files, project, base }) => (
  <>
    <h2 id="edit-title">Add files</h2>
    <form method="post" action={`${base}/files`} data-save>
      <Expected project={project} />
      <FileChoices files={files} label="The newest files" />
      <p class="row">
        <button class="primary" type="submit">
          Add at the end
        </button>
        <a class="button" href={base} data-load>
          Cancel
        </a>
      </p>
    </form>
  </>
);

export const Expected: FC<{ project: StoredProject }> = ({ project }) => (
  <input type="hidden" name="expected" value={project.updatedAt.toISOString()} />
);

interface FieldProps {
  name: string;
  label: string;
  value: string;
  min: string;
  max?: string;
  step?: string;
  inputmode?: "decimal";
}

const NumberField: FC<FieldProps> = ({ label, ...field }) => (
  <div>
    <label for={field.name}>{label}</label>
    <input id={field.name} type="number" required {...field} />
  </div>
);

export const SecondsField: FC<Pick<FieldProps, "name" | "label" | "value">> = (field) => (
  <NumberField {...field} inputmode="decimal" step="0.001" min="0" />
);

const ClipButton: FC<{ action: string; children: Child }> = ({ action, children }) => (
  <button class={isRemoval(action) ? "danger" : undefined} type="submit" name="action" value={action} formnovalidate>
    {children}
  </button>
);

const isRemoval = (action: string) => action === "remove" || action === "close-gap";

/** An edge of the clip, moved by arrow keys or a finger; the script writes it into the field of that name. */
const EdgeField: FC<{ of: "from" | "until"; label: string; value: number; max: number }> = ({
  of,
  label,
  value,
  max,
}) => (
  <div class="edge" hidden>
    <label for={`edge-${of}`}>{label}</label>
    <input id={`edge-${of}`} type="range" min="0" max={String(max)} step="100" value={String(value)} data-edge={of} />
  </div>
);

const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2];

const ClipFields: FC<FieldsProps> = ({ project, selection, entries, canEdit, base }) => {
  const clip = project.document.clips.find(({ clip_id }) => clip_id === selection?.id);
  if (!clip) return <Gone />;
  const name = nameAssets(project.document).get(clip.asset_id) ?? "Clip";
  const asset = project.document.assets.find(({ asset_id }) => asset_id === clip.asset_id);
  const fileMs = asset?.duration_ms ?? null;
  const isImage = asset?.type === "image";
  return (
    <>
      <h2 id="edit-title">{name}</h2>
      <form method="post" action={`${base}/clips/${encodeURIComponent(clip.clip_id)}`} data-save>
        <fieldset class="fields" disabled={!canEdit}>
          <legend class="visually-hidden">Times and sound of {name}</legend>
          <Expected project={project} />
          <SecondsField name="start" label="Starts at, in seconds" value={entries.start ?? toSeconds(clip.start_ms)} />
          <SecondsField
            name="from"
            label={isImage ? "Shown from, in seconds" : "Part of the file from"}
            value={entries.from ?? toSeconds(clip.source_start_ms)}
          />
          <SecondsField
            name="until"
            label={isImage ? "Shown until" : "Part of the file until"}
            value={entries.until ?? toSeconds(clip.source_end_ms)}
          />
          {fileMs !== null && (
            <>
              <EdgeField of="from" label="Move the beginning" value={clip.source_start_ms} max={fileMs} />
              <EdgeField of="until" label="Move the end" value={clip.source_end_ms} max={fileMs} />
            </>
          )}
          <NumberField name="track" label="Track" min="1" max="100" value={entries.track ?? String(clip.track + 1)} />
          {!isImage && (
            <>
              <div>
                <label for="speed">Speed</label>
                <select id="speed" name="speed">
                  {[...new Set([...SPEEDS, clip.speed])]
                    .sort((a, b) => a - b)
                    .map((speed) => (
                      <option value={String(speed)} selected={(entries.speed ?? String(clip.speed)) === String(speed)}>
                        {speed === 1 ? "As filmed" : `${speed} times`}
                      </option>
                    ))}
                </select>
              </div>
              <NumberField
                name="volume"
                label="Volume, in percent"
                min="0"
                max="1000"
                value={entries.volume ?? String(Math.round(clip.volume * 100))}
              />
              <div>
                <label for="muted">Sound</label>
                <select id="muted" name="muted">
                  <option value="no">On</option>
                  <option value="yes" selected={(entries.muted ?? (clip.muted ? "yes" : "no")) === "yes"}>
                    Muted
                  </option>
                </select>
              </div>
            </>
          )}
          <p class="row">
            <button class="primary" type="submit">
              Save
            </button>
            <ClipButton action="earlier">Move earlier</ClipButton>
            <ClipButton action="later">Move later</ClipButton>
            <ClipButton action="close-gap">Remove and close the gap</ClipButton>
            <ClipButton action="remove">Remove</ClipButton>
          </p>
          <div class="cut all">
            <SecondsField
              name="at"
              label="Cut at, in seconds: the place that the player shows"
              value={entries.at ?? toSeconds(Math.round((clip.start_ms + clip.end_ms) / 2))}
            />
            <p class="row">
              <ClipButton action="split">Split here</ClipButton>
              <ClipButton action="trim-start">Begin here</ClipButton>
              <ClipButton action="trim-end">End here</ClipButton>
            </p>
          </div>
        </fieldset>
      </form>
      <p class="hint">
        On the timeline from {formatTime(clip.start_ms)} to {formatTime(clip.end_ms)}
        {clip.speed !== 1 && `, at ${clip.speed} times the speed`}.
      </p>
    </>
  );
};

export const Gone: FC = () => (
  <>
    <h2 id="edit-title">Not there any more</h2>
    <p>Somebody removed it from the project.</p>
  </>
);
