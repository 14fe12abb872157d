// Editor projects: assets, clips and text clips on a timeline in milliseconds, and what was heard in it.
import * as z from "zod";
import { Id, Instant, InstantIn, wholeNumber } from "./common.ts";
import { AspectRatio } from "./slide.ts";

const CLIPS_AT_MOST = 500;
/** Captions of the longest file fit. */
export const TEXT_CLIPS_AT_MOST = 20_000;
const NOTE_AT_MOST = 140;

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

// Numbers that make no sense together are told as invalid_document, with the clip they are in.
const clip = {
  clip_id: ClipId,
  asset_id: z.string().describe("An asset of the project."),
  track: z.int(),
  start_ms: z.int().describe("On the timeline."),
  end_ms: z.int(),
  source_start_ms: z.int().describe("In the asset."),
  source_end_ms: z.int(),
  speed: z.number().describe("2 plays twice as fast. The clip is as long as its part of the source at this speed."),
  volume: z.number().describe("1 leaves it as it is, 0 is silent."),
  muted: z.boolean(),
};
const textClip = {
  clip_id: ClipId,
  text: z.string().min(1).max(1000),
  start_ms: z.int(),
  end_ms: z.int(),
  role: z.string().min(1).max(32).describe("Captions have `caption`."),
};

const Clip = z.object(clip).meta({ id: "EditorClip" });
const TextClip = z.object(textClip).meta({ id: "EditorTextClip" });

const ClipIn = z.strictObject(clip);
const TextClipIn = z.strictObject(textClip);

const listed = { project_id: Id, title: z.string(), aspect_ratio: z.string(), updated_at: Instant };

export const Project = z
  .object({
    ...listed,
    duration_ms: z.int().describe("Where the last clip ends."),
    assets: z.array(Asset),
    clips: z.array(Clip),
    text_clips: z.array(TextClip),
    undo: z
      .object({ revision: z.int(), label: z.string(), at: Instant })
      .nullable()
      .describe("The last change that the web editor can take back."),
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
    aspect_ratio: AspectRatio.optional().describe("Absent: that of the first file, or the usual one next to it."),
    file_ids: z
      .array(Id)
      .min(1, "Name at least one file.")
      .max(20, "At most 20 files.")
      .describe("Finalized files, laid end to end; an image is shown for 3 s."),
  })
  .meta({ id: "EditorProjectCreate" });
export type ProjectCreate = z.output<typeof ProjectCreate>;

export const ProjectPatch = z
  .strictObject({
    expected_updated_at: InstantIn.describe("The `updated_at` last read."),
    title: Title.optional(),
    clips: z.array(ClipIn).max(CLIPS_AT_MOST).optional().describe("Replaces all clips."),
    text_clips: z.array(TextClipIn).max(TEXT_CLIPS_AT_MOST).optional().describe("Replaces all text clips."),
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

const CURSOR = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function cursorOf({ updatedAt, id }: Cursor): string {
  return btoa(`${updatedAt.getTime()}.${id}`).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The place that a cursor names, or null when it is none of ours. */
function placeOf(cursor: string): Cursor | null {
  try {
    const [, ms, id] = CURSOR.exec(atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))) ?? [];
    return ms && id && cursorOf({ updatedAt: new Date(Number(ms)), id }) === cursor
      ? { updatedAt: new Date(Number(ms)), id }
      : null;
  } catch {
    return null;
  }
}

const CursorIn = z
  .string()
  .max(200)
  .transform((text, context) => {
    const place = placeOf(text);
    if (place && !Number.isNaN(place.updatedAt.getTime())) return place;
    context.addIssue({ code: "custom", message: "Must be the pagination.next_cursor of the previous page." });
    return z.NEVER;
  })
  .meta({ type: "string", description: "The `pagination.next_cursor` of the previous page." });

export const ProjectQuery = z.strictObject({ limit: wholeNumber(1, 50).default(20), cursor: CursorIn.optional() });

export const ProjectList = z.object({
  projects: z.array(z.object(listed).meta({ id: "EditorProjectListed" })).describe("Most recently edited first."),
  pagination: z.object({ next_cursor: z.string().nullable(), has_more: z.boolean() }),
});

export const ProjectDeleted = z.object({ project_id: Id, deleted: z.literal(true) });

export const Transcript = z
  .object({
    project_id: Id,
    updated_at: Instant,
    is_current: z.boolean().describe("Whether the words are those of the cut as it is now."),
    language: z.string().nullable().describe("ISO 639-1, where the recogniser says."),
    words: z.array(z.object({ text: z.string(), start_ms: z.int(), end_ms: z.int() })).describe("On the timeline."),
  })
  .meta({ id: "EditorTranscript" });
export type Transcript = z.input<typeof Transcript>;

const lineBreak = /[\p{Zl}\p{Zp}]/u;
const control = /\p{Cc}/u;

const Note = z
  .string()
  .refine((text) => [...text].length <= NOTE_AT_MOST, `Must be at most ${NOTE_AT_MOST} characters.`)
  .refine((text) => !lineBreak.test(text) && !control.test(text), "Must be plain text without line breaks.")
  .meta({ maxLength: NOTE_AT_MOST });

export const CaptionsRequest = z
  .strictObject({
    expected_updated_at: InstantIn.optional().describe(
      "The `updated_at` last read; if the project changed since, the request is refused.",
    ),
    note: Note.optional().describe("Shown in the web editor's activity feed."),
  })
  .meta({ id: "CaptionsRequest" });
export type CaptionsRequest = z.output<typeof CaptionsRequest>;
