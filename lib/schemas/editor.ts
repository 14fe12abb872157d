// Editor projects: assets, clips and text clips on a timeline in milliseconds, and transcripts.
import * as z from "zod";
import { Id, Instant, InstantInput, wholeNumber } from "./common.ts";
import { cursorField, NewestFirst } from "./pagination.ts";
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
    duration_ms: z.int().nullable(),
    width: z.int(),
    height: z.int(),
    has_audio: z.boolean(),
  })
  .meta({ id: "EditorAsset" });

// Rules across several numbers are checked later and reported as invalid_document with the clip.
const clipFields = {
  clip_id: ClipId,
  asset_id: z.string().max(128),
  track: z.int(),
  start_ms: z.int(),
  end_ms: z.int(),
  source_start_ms: z.int(),
  source_end_ms: z.int(),
  speed: z.number(),
  volume: z.number(),
  muted: z.boolean(),
};
const textClipFields = {
  clip_id: ClipId,
  text: z.string().min(1).max(1000),
  start_ms: z.int(),
  end_ms: z.int(),
  role: z.string().min(1).max(32),
};

const Clip = z.object(clipFields).meta({ id: "EditorClip" });
const TextClip = z.object(textClipFields).meta({ id: "EditorTextClip" });

const ClipInput = z.strictObject(clipFields);
const TextClipInput = z.strictObject(textClipFields);

const listFields = { project_id: Id, title: z.string(), aspect_ratio: z.string(), updated_at: Instant };

export const Project = z
  .object({
    ...listFields,
    duration_ms: z.int(),
    assets: z.array(Asset),
    clips: z.array(Clip),
    text_clips: z.array(TextClip),
    undo: z.object({ revision: z.int(), label: z.string(), at: Instant }).nullable(),
    render: z
      .object({
        status: z.enum(["none", "current", "stale"]),
        url: z.string().nullable(),
        rendered_at: Instant.nullable(),
      })
      .nullable(),
    editor_url: z.string(),
  })
  .meta({ id: "EditorProject" });
export type Project = z.input<typeof Project>;

export const ProjectCreate = z
  .strictObject({
    title: Title,
    aspect_ratio: AspectRatio.optional(),
    file_ids: z.array(Id).min(1, "Send at least one file.").max(20, "Must have at most 20 files."),
  })
  .meta({ id: "EditorProjectCreate" });
export type ProjectCreate = z.output<typeof ProjectCreate>;

export const ProjectPatch = z
  .strictObject({
    expected_updated_at: InstantInput,
    title: Title.optional(),
    clips: z.array(ClipInput).max(MAX_CLIPS).optional(),
    text_clips: z.array(TextClipInput).max(MAX_TEXT_CLIPS).optional(),
  })
  .refine(({ title, clips, text_clips }) => [title, clips, text_clips].some((field) => field !== undefined), {
    message: "Send at least one of title, clips and text_clips.",
  })
  .meta({ id: "EditorProjectPatch" });
export type ProjectPatch = z.output<typeof ProjectPatch>;

export const ProjectQuery = z.strictObject({
  limit: wholeNumber(1, 50).default(20),
  cursor: cursorField(NewestFirst, "pagination.next_cursor").optional(),
});

export const ProjectList = z.object({
  projects: z.array(z.object(listFields).meta({ id: "EditorProjectListed" })),
  pagination: z.object({ next_cursor: z.string().nullable(), has_more: z.boolean() }),
});

export const ProjectDeleted = z.object({ project_id: Id, deleted: z.literal(true) });

export const Transcript = z
  .object({
    project_id: Id,
    updated_at: Instant,
    is_current: z.boolean(),
    language: z.string().nullable(),
    words: z.array(z.object({ text: z.string(), start_ms: z.int(), end_ms: z.int() })),
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
    expected_updated_at: InstantInput.optional(),
    note: Note.optional(),
  })
  .meta({ id: "CaptionsRequest" });
export type CaptionsRequest = z.output<typeof CaptionsRequest>;
