// Editor projects: assets, clips and text clips on a timeline in milliseconds, and transcripts.
import * as z from "zod";
import { Id, Instant, InstantInput, wholeNumber } from "./common.ts";
import { AspectRatio } from "./slide.ts";

const MAX_CLIPS = 500;
/** Enough for the captions of the longest allowed file. */
export const MAX_TEXT_CLIPS = 20_000;
const MAX_NOTE_LENGTH = 140;

const Title = z.string().trim().min(1, "Must not be blank.").max(200);
const ClipId = z.string().min(1).max(64);

const Asset = z
  .object({
    asset_id: z.string(),
    file_id: Id,
    type: z.enum(["video", "audio", "image"]),
    url: z.string(),
    duration_ms: z.int().nullable().describe("Null for an image."),
    width: z.int(),
    height: z.int(),
    has_audio: z.boolean(),
  })
  .meta({ id: "EditorAsset" });

// Rules across several numbers are checked later and reported as invalid_document with the clip.
const clipFields = {
  clip_id: ClipId,
  asset_id: z.string().max(128).describe("An asset of the project."),
  track: z.int(),
  start_ms: z.int().describe("On the timeline."),
  end_ms: z.int(),
  source_start_ms: z.int().describe("In the asset."),
  source_end_ms: z.int(),
  speed: z
    .number()
    .describe("2 plays twice as fast. The duration of the clip is the duration of its source part divided by speed."),
  volume: z.number().describe("1 is the original volume, 0 is silent."),
  muted: z.boolean(),
};
const textClipFields = {
  clip_id: ClipId,
  text: z.string().min(1).max(1000),
  start_ms: z.int(),
  end_ms: z.int(),
  role: z.string().min(1).max(32).describe("`caption` for captions."),
};

const Clip = z.object(clipFields).meta({ id: "EditorClip" });
const TextClip = z.object(textClipFields).meta({ id: "EditorTextClip" });

const ClipInput = z.strictObject(clipFields);
const TextClipInput = z.strictObject(textClipFields);

const listFields = { project_id: Id, title: z.string(), aspect_ratio: z.string(), updated_at: Instant };

export const Project = z
  .object({
    ...listFields,
    duration_ms: z.int().describe("End of the last clip."),
    assets: z.array(Asset),
    clips: z.array(Clip),
    text_clips: z.array(TextClip),
    undo: z
      .object({ revision: z.int(), label: z.string(), at: Instant })
      .nullable()
      .describe("The last change that the web editor can undo."),
    render: z
      .object({
        status: z.enum(["none", "current", "stale"]),
        url: z.string().nullable(),
        rendered_at: Instant.nullable(),
      })
      .nullable(),
    editor_url: z.string().describe("The project in the web editor."),
  })
  .meta({ id: "EditorProject" });
export type Project = z.input<typeof Project>;

export const ProjectCreate = z
  .strictObject({
    title: Title,
    aspect_ratio: AspectRatio.optional().describe(
      "Default: the common aspect ratio that is closest to the first file.",
    ),
    file_ids: z
      .array(Id)
      .min(1, "Send at least one file.")
      .max(20, "Must have at most 20 files.")
      .describe("Finalized files, placed one after another; an image is shown for 3 s."),
  })
  .meta({ id: "EditorProjectCreate" });
export type ProjectCreate = z.output<typeof ProjectCreate>;

export const ProjectPatch = z
  .strictObject({
    expected_updated_at: InstantInput.describe("The `updated_at` of the last read."),
    title: Title.optional(),
    clips: z.array(ClipInput).max(MAX_CLIPS).optional().describe("Replaces all clips."),
    text_clips: z.array(TextClipInput).max(MAX_TEXT_CLIPS).optional().describe("Replaces all text clips."),
  })
  .refine(({ title, clips, text_clips }) => [title, clips, text_clips].some((field) => field !== undefined), {
    message: "Send at least one of title, clips and text_clips.",
  })
  .meta({ id: "EditorProjectPatch" });
export type ProjectPatch = z.output<typeof ProjectPatch>;

export interface Cursor {
  updatedAt: Date;
  id: string;
}

/** Milliseconds since the epoch, up to the year 2286. */
const CURSOR = /^(\d{1,13})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodeCursor({ updatedAt, id }: Cursor): string {
  return btoa(`${updatedAt.getTime()}.${id}`).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes a cursor; null when it is malformed. */
function decodeCursor(cursor: string): Cursor | null {
  try {
    const [, ms, id] = CURSOR.exec(atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))) ?? [];
    return ms && id && encodeCursor({ updatedAt: new Date(Number(ms)), id }) === cursor
      ? { updatedAt: new Date(Number(ms)), id }
      : null;
  } catch {
    return null;
  }
}

const CursorInput = z
  .string()
  .max(200)
  .transform((text, context) => {
    const cursor = decodeCursor(text);
    if (cursor && !Number.isNaN(cursor.updatedAt.getTime())) return cursor;
    context.addIssue({ code: "custom", message: "Must be the pagination.next_cursor of the previous page." });
    return z.NEVER;
  })
  .meta({ type: "string", description: "The `pagination.next_cursor` of the previous page." });

export const ProjectQuery = z.strictObject({ limit: wholeNumber(1, 50).default(20), cursor: CursorInput.optional() });

export const ProjectList = z.object({
  projects: z.array(z.object(listFields).meta({ id: "EditorProjectListed" })).describe("Most recently edited first."),
  pagination: z.object({ next_cursor: z.string().nullable(), has_more: z.boolean() }),
});

export const ProjectDeleted = z.object({ project_id: Id, deleted: z.literal(true) });

export const Transcript = z
  .object({
    project_id: Id,
    updated_at: Instant,
    is_current: z.boolean().describe("Whether the words match the current timeline."),
    language: z.string().nullable().describe("ISO 639-1; null when the speech model does not report it."),
    words: z.array(z.object({ text: z.string(), start_ms: z.int(), end_ms: z.int() })).describe("On the timeline."),
  })
  .meta({ id: "EditorTranscript" });
export type Transcript = z.input<typeof Transcript>;

const lineBreak = /[\p{Zl}\p{Zp}]/u;
const control = /\p{Cc}/u;

const Note = z
  .string()
  .refine((text) => [...text].length <= MAX_NOTE_LENGTH, `Must be at most ${MAX_NOTE_LENGTH} characters.`)
  .refine((text) => !lineBreak.test(text) && !control.test(text), "Must be plain text without line breaks.")
  .meta({ maxLength: MAX_NOTE_LENGTH });

export const CaptionsRequest = z
  .strictObject({
    expected_updated_at: InstantInput.optional().describe(
      "The `updated_at` of the last read; if the project has changed since, the request is rejected.",
    ),
    note: Note.optional().describe("Shown in the web editor's activity feed."),
  })
  .meta({ id: "CaptionsRequest" });
export type CaptionsRequest = z.output<typeof CaptionsRequest>;
