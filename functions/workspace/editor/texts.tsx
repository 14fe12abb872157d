// Captions and texts in the order in which they are shown. The chosen one is edited in its place.
import type { FC } from "hono/jsx";
import { v7 as newId } from "uuid";
import type { ProjectTextClip } from "../../../lib/shared/project-document.ts";
import { formatTime, toSeconds } from "../scripts/shared/time.ts";
import { Expected, type FieldsProps, Gone, SecondsField } from "./fields.tsx";
import { NEW_TEXT, TEXTS_PER_PAGE } from "./project-view.ts";

interface TextsProps extends FieldsProps {
  /** The part of the text clips that the page lists. */
  texts: ProjectTextClip[];
  offset: number;
}

export const Texts: FC<TextsProps> = ({ texts, offset, ...fields }) => {
  const { project, selection, canEdit, base } = fields;
  const total = project.document.text_clips.length;
  const hasCaptions = project.document.text_clips.some(({ role }) => role === "caption");
  const chosen = selection?.kind === "text" ? selection.id : null;
  const isListed = texts.some(({ clip_id }) => clip_id === chosen);
  return (
    <section class="card captions" aria-labelledby="texts-title" data-part="texts">
      <h2 id="texts-title">Captions and texts</h2>
      {canEdit && (
        <div class="row">
          {!hasCaptions && <CaptionsForm base={base} project={project} />}
          <a class="button" href={`?text=${NEW_TEXT}`} data-load>
            Add a text
          </a>
        </div>
      )}
      {chosen !== null && !isListed && (
        <div id="edit" class="in-place">
          {chosen === NEW_TEXT ? <TextFields {...fields} clip={null} /> : <Gone />}
        </div>
      )}
      {total === 0 ? (
        <p class="hint">None yet. Captions are written from what is spoken in the clips.</p>
      ) : (
        <ol class="texts">
          {texts.map((clip) =>
            clip.clip_id === chosen ? (
              <li id="edit" class="in-place" data-start={clip.start_ms} data-end={clip.end_ms}>
                <TextFields {...fields} clip={clip} />
              </li>
            ) : (
              <li data-start={clip.start_ms} data-end={clip.end_ms}>
                <a href={`?text=${encodeURIComponent(clip.clip_id)}`} data-load data-seek={clip.start_ms}>
                  <span class="time">
                    {formatTime(clip.start_ms)}–{formatTime(clip.end_ms)}
                  </span>{" "}
                  <span dir="auto">{clip.text}</span> {clip.role !== "caption" && <small>{clip.role}</small>}
                </a>
              </li>
            ),
          )}
        </ol>
      )}
      {total > TEXTS_PER_PAGE && <Parts total={total} offset={offset} count={texts.length} />}
    </section>
  );
};

const Parts: FC<{ total: number; offset: number; count: number }> = ({ total, offset, count }) => (
  <nav class="row pager" aria-label="Parts of the list">
    {offset > 0 && (
      <a class="button" href={`?from=${offset - TEXTS_PER_PAGE}`} data-load>
        Earlier
      </a>
    )}
    <span class="hint">
      {offset + 1} to {offset + count} of {total}
    </span>
    {offset + count < total && (
      <a class="button" href={`?from=${offset + TEXTS_PER_PAGE}`} data-load>
        Later
      </a>
    )}
  </nav>
);

const TextFields: FC<FieldsProps & { clip: ProjectTextClip | null }> = ({ project, clip, entries, canEdit, base }) => {
  const what = clip?.role === "caption" ? "Caption" : clip ? "Text" : "New text";
  const isOther = clip && entries.text !== undefined && entries.text !== clip.text;
  return (
    <form method="post" action={`${base}/texts/${encodeURIComponent(clip?.clip_id ?? NEW_TEXT)}`} data-save>
      <fieldset class="fields" disabled={!canEdit}>
        <legend class="visually-hidden">{what}</legend>
        <Expected project={project} />
        <div class="all">
          <label for="text">Words</label>
          <textarea id="text" name="text" rows={2} maxlength={1000} required aria-describedby="text-hint">
            {entries.text ?? clip?.text ?? ""}
          </textarea>
          {isOther && <p class="hint">Stored at the moment: {clip.text}</p>}
          <p class="hint" id="text-hint">
            Enter saves and goes to the next one, Shift and Enter begins a new line, Escape closes.
          </p>
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
          <button type="button" data-take="start" hidden>
            Begin at the player
          </button>
          <button type="button" data-take="end" hidden>
            End at the player
          </button>
          {clip && (
            <button class="danger" type="submit" name="action" value="remove" formnovalidate>
              Remove
            </button>
          )}
          <a class="button" href={base} data-load>
            Close
          </a>
        </p>
      </fieldset>
    </form>
  );
};

const CaptionsForm: FC<Pick<FieldsProps, "base" | "project">> = ({ base, project }) => (
  <details class="write-captions">
    <summary class="button">Write captions from speech</summary>
    <form method="post" action={`${base}/captions`} class="stack" data-save>
      <Expected project={project} />
      <input type="hidden" name="key" value={newId()} />
      <label for="note">A note for the list of changes (optional)</label>
      <input id="note" name="note" maxlength={140} />
      <button class="primary" type="submit">
        Write captions
      </button>
      <p class="busy" data-busy="Listening to the clips. This can take minutes; you can go on watching." hidden>
        <progress aria-label="Captions are being written" /> Listening to the clips. This can take minutes.
      </p>
    </form>
  </details>
);
