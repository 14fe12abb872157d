// The fields of the chosen clip or text clip. After a conflict they hold the entries of the person.
import type { FC } from "hono/jsx";
import type { StoredProject } from "../../../lib/queries/editor.ts";
import { formatTime, toSeconds } from "../scripts/shared/time.ts";
import { NEW_TEXT, type Selection } from "./project-view.ts";
import { nameAssets } from "./timeline.tsx";

/** The entries of a person, by the name of the field. */
export type Entries = Record<string, string>;

interface FieldsProps {
  project: StoredProject;
  selection: Selection | null;
  entries: Entries;
  canEdit: boolean;
  base: string;
}

export const SelectedFields: FC<FieldsProps> = (props) => (
  <section class="card" aria-labelledby="edit-title" data-part="edit" id="edit">
    {props.selection === null ? (
      <>
        <h2 id="edit-title">Nothing chosen</h2>
        <p class="hint">Choose a clip or a text in the timeline or in the list.</p>
      </>
    ) : props.selection.kind === "clip" ? (
      <ClipFields {...props} />
    ) : (
      <TextFields {...props} />
    )}
  </section>
);

const Expected: FC<{ project: StoredProject }> = ({ project }) => (
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

const SecondsField: FC<Pick<FieldProps, "name" | "label" | "value">> = (field) => (
  <NumberField {...field} inputmode="decimal" step="0.001" min="0" />
);

const ClipFields: FC<FieldsProps> = ({ project, selection, entries, canEdit, base }) => {
  const clip = project.document.clips.find(({ clip_id }) => clip_id === selection?.id);
  if (!clip) return <Gone />;
  const name = nameAssets(project.document).get(clip.asset_id) ?? "Clip";
  const isImage = project.document.assets.some(({ asset_id, type }) => asset_id === clip.asset_id && type === "image");
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
          <NumberField name="track" label="Track" min="1" max="100" value={entries.track ?? String(clip.track + 1)} />
          {!isImage && (
            <>
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
            <button class="danger" type="submit" name="action" value="remove" formnovalidate>
              Remove the clip
            </button>
          </p>
        </fieldset>
      </form>
      <p class="hint">
        On the timeline from {formatTime(clip.start_ms)} to {formatTime(clip.end_ms)}
        {clip.speed !== 1 && `, at ${clip.speed} times the speed`}.
      </p>
    </>
  );
};

const TextFields: FC<FieldsProps> = ({ project, selection, entries, canEdit, base }) => {
  const id = selection?.id ?? NEW_TEXT;
  const clip = project.document.text_clips.find(({ clip_id }) => clip_id === id);
  if (!clip && id !== NEW_TEXT) return <Gone />;
  const what = clip?.role === "caption" ? "Caption" : clip ? "Text" : "New text";
  const isOther = clip && entries.text !== undefined && entries.text !== clip.text;
  return (
    <>
      <h2 id="edit-title">{what}</h2>
      <form method="post" action={`${base}/texts/${encodeURIComponent(id)}`} data-save>
        <fieldset class="fields" disabled={!canEdit}>
          <legend class="visually-hidden">{what}</legend>
          <Expected project={project} />
          <div class="all">
            <label for="text">Words</label>
            <textarea id="text" name="text" rows={3} maxlength={1000} required>
              {entries.text ?? clip?.text ?? ""}
            </textarea>
            {isOther && <p class="hint">Stored at the moment: {clip.text}</p>}
          </div>
          <SecondsField
            name="start"
            label="Shown from, in seconds"
            value={entries.start ?? toSeconds(clip?.start_ms ?? 0)}
          />
          <SecondsField name="end" label="Shown until" value={entries.end ?? toSeconds(clip?.end_ms ?? 2000)} />
          <p class="row">
            <button class="primary" type="submit">
              {clip ? "Save" : "Add"}
            </button>
            {clip && (
              <button class="danger" type="submit" name="action" value="remove" formnovalidate>
                Remove
              </button>
            )}
          </p>
        </fieldset>
      </form>
    </>
  );
};

const Gone: FC = () => (
  <>
    <h2 id="edit-title">Not there any more</h2>
    <p>Somebody removed it from the project.</p>
  </>
);
