// Editor projects, their activity, and transcripts of the files that they use.
import { sql } from "drizzle-orm";
import { bigserial, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import type { ProjectDocument, ProjectTranscript, TranscribedWord } from "../../lib/shared/project-document.ts";
import { createdAt, instant, tenant, updatedAt } from "./columns.ts";

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
    /** Incremented with each change. A write applies only if the revision is still the one that was read. */
    revision: integer("revision").notNull().default(1),
    /** The in-product assistant is editing until this time. */
    assistantLockUntil: instant("assistant_lock_until"),
    createdAt: createdAt(),
    /** Increases by at least a millisecond with every change, so that callers can use it as the revision. */
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
    /** The public id of the key or grant. */
    actor: text("actor").notNull(),
    at: instant("at").notNull(),
  },
  (table) => [index("editor_activity_project").on(table.projectId, table.id)],
);

/** The words in a range of a file's audio. The hash of its content names the file, so that a copy is not transcribed again. */
export const speechTranscripts = pgTable(
  "speech_transcripts",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    ...tenant(),
    sha256: text("sha256").notNull(),
    /** The speech-to-text service that transcribed it. */
    recogniser: text("recogniser").notNull(),
    startMs: integer("start_ms").notNull(),
    endMs: integer("end_ms").notNull(),
    language: text("language"),
    words: jsonb("words").$type<TranscribedWord[]>().notNull(),
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
