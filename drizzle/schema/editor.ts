// Editor projects, what was done to them, and what was heard in the files that they use.
import { sql } from "drizzle-orm";
import { bigserial, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, tenant, updatedAt } from "./columns.ts";

/** A file that clips may show; it never changes once it is in a project. */
export interface ProjectAsset {
  asset_id: string;
  file_id: string;
  type: "video" | "audio" | "image";
  url: string;
  /** Null for a picture. */
  duration_ms: number | null;
  width: number;
  height: number;
  has_audio: boolean;
}

/** A piece of an asset on the timeline. */
export interface ProjectClip {
  clip_id: string;
  asset_id: string;
  track: number;
  start_ms: number;
  end_ms: number;
  source_start_ms: number;
  source_end_ms: number;
  speed: number;
  volume: number;
  muted: boolean;
}

export interface ProjectTextClip {
  clip_id: string;
  text: string;
  start_ms: number;
  end_ms: number;
  role: string;
}

export interface ProjectDocument {
  assets: ProjectAsset[];
  clips: ProjectClip[];
  text_clips: ProjectTextClip[];
  /** The last change that can be taken back, and the revision that it came from. */
  undo: { revision: number; label: string; at: string } | null;
  render: { status: "none" | "current" | "stale"; url: string | null; rendered_at: string | null };
}

/** A word on the timeline. */
export interface ProjectWord {
  text: string;
  start_ms: number;
  end_ms: number;
}

export interface ProjectTranscript {
  /** Names the cut that was heard: another cut has another print. */
  cut: string;
  language: string | null;
  words: ProjectWord[];
}

export const editorProjects = pgTable(
  "editor_projects",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    title: text("title").notNull(),
    aspectRatio: text("aspect_ratio").notNull(),
    document: jsonb("document").$type<ProjectDocument>().notNull(),
    /** The clips and text clips before the last change, for undo. */
    previous: jsonb("previous").$type<Pick<ProjectDocument, "clips" | "text_clips">>(),
    transcript: jsonb("transcript").$type<ProjectTranscript>(),
    /** Counts the changes; whoever writes does so on the revision that was read. */
    revision: integer("revision").notNull().default(1),
    /** While it lies in the future the in-product assistant is editing. */
    assistantLockUntil: instant("assistant_lock_until"),
    createdAt: createdAt(),
    /** Grows by at least a millisecond with every change, so that it names the revision to callers. */
    updatedAt: updatedAt(),
  },
  (table) => [
    index("editor_projects_scope_newest").on(
      table.scopeId,
      table.updatedAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
  ],
);

/** The activity feed of the web editor. */
export const editorActivity = pgTable(
  "editor_activity",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    projectId: uuid("project_id")
      .notNull()
      .references(() => editorProjects.id, { onDelete: "cascade" }),
    revision: integer("revision").notNull(),
    kind: text("kind", { enum: ["created", "edited", "captions_added"] }).notNull(),
    note: text("note"),
    /** The key or grant that did it, by the public half of its token. */
    actor: text("actor").notNull(),
    at: instant("at").notNull(),
  },
  (table) => [index("editor_activity_project").on(table.projectId, table.id)],
);

/** A word in an asset, in milliseconds from its beginning. */
export interface HeardWord {
  text: string;
  start: number;
  end: number;
}

/** What was heard in a range of a file's sound; the file is named by its content, so that a copy is not heard again. */
export const speechTranscripts = pgTable(
  "speech_transcripts",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    ...tenant(),
    sha256: text("sha256").notNull(),
    /** Which recogniser heard it. */
    recogniser: text("recogniser").notNull(),
    startMs: integer("start_ms").notNull(),
    endMs: integer("end_ms").notNull(),
    language: text("language"),
    words: jsonb("words").$type<HeardWord[]>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("speech_transcripts_range").on(
      table.scopeId,
      table.sha256,
      table.recogniser,
      table.startMs,
      table.endMs,
    ),
    check("speech_transcripts_order", sql`start_ms < end_ms`),
  ],
);
