// Changes of a project. Each goes through the operation of the API, with the version that the person has seen; after a
// conflict the page shows the entries of the person again.
import { v7 as newId } from "uuid";
import * as z from "zod";
import { addProjectFiles } from "../../../lib/editor/add-files.ts";
import { buildCaptionFile, CAPTION_TYPES, type CaptionFormat } from "../../../lib/editor/caption-files.ts";
import {
  type ClipChange,
  changeClip,
  type Mistake,
  putTextClip,
  removeClip,
  removeClipAndCloseGap,
  reorderClip,
  splitClip,
  trimClip,
} from "../../../lib/editor/edit-timeline.ts";
import { requireFiles } from "../../../lib/editor/require-files.ts";
import { toCredential } from "../../../lib/http/request-actor.ts";
import { findProject, findProjectFiles, type StoredProject } from "../../../lib/queries/editor.ts";
import { findPreviousProject, findProjectState } from "../../../lib/queries/editor-activity.ts";
import { DAY_SECONDS } from "../../../lib/shared/durations.ts";
import { apiError, toApiError } from "../../../lib/shared/errors.ts";
import type { ProjectClip, ProjectDocument, ProjectTextClip } from "../../../lib/shared/project-document.ts";
import addCaptions from "../../editor/captions.ts";
import updateProject from "../../editor/update.ts";
import { readChosen } from "../files/actions.ts";
import type { Page, PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { openAudited, PageError, setNotice } from "../session.ts";
import type { Entries } from "./fields.tsx";
import { loadProject, type Problem, requireProjectId, sendProject } from "./project-page.tsx";
import { NEW_TEXT, type Selection } from "./project-view.ts";

interface Patch {
  title?: string;
  clips?: ProjectClip[];
  text_clips?: ProjectTextClip[];
}

interface Change {
  /** The page shows this clip afterwards. */
  selection: Selection | null;
  done: string;
  /** Returns the new content, or a mistake in the entries. */
  build(project: StoredProject, entries: Entries): Patch | Mistake | Promise<Patch | Mistake>;
}

async function changeProject(c: PageContext, { selection, done, build }: Change): Promise<Response> {
  const id = requireProjectId(c);
  const { services, workspace } = c.var;
  const entries = await readEntries(c);
  const project = await findProject(services.db, workspace.actor.scope, id);
  if (!project) throw new PageError(404, "There is no such project in this workspace.");
  const patch = await build(project, entries);
  if ("mistake" in patch) return sendProject(c, { message: patch.mistake, status: 400, selection, entries });
  return attempt(c, { selection, entries }, async () => {
    const body = { expected_updated_at: entries.expected, ...patch };
    await runOperation(c, updateProject, { params: { projectId: id }, body });
    setNotice(c, { kind: "done", text: done });
    const isGone = REMOVALS.includes(entries.action ?? "") || selection?.id === NEW_TEXT;
    return selection && !isGone ? `?${selection.kind}=${encodeURIComponent(selection.id)}` : "";
  });
}

const REMOVALS = ["remove", "close-gap"];

async function readEntries(c: PageContext): Promise<Entries> {
  const form = await c.req.parseBody();
  return Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

/** Redirects to the page, or shows it with the reason why nothing was stored. */
async function attempt(
  c: PageContext,
  { selection, entries }: Pick<Problem, "selection" | "entries">,
  work: () => Promise<string>,
): Promise<Response> {
  try {
    const query = await work();
    return c.redirect(`/dashboard/${c.var.workspace.id}/projects/${requireProjectId(c)}${query}`, 303);
  } catch (error) {
    const known = toApiError(error);
    const isSpeech = known?.code === "transcription_failed" || known?.code === "provider_unavailable";
    if (!known || (known.status >= 500 && !isSpeech)) throw error;
    if (known.code === "project_not_found") throw new PageError(404, "There is no such project in this workspace.");
    const status = STATUSES.find((one) => one === known.status) ?? 400;
    return sendProject(c, { message: REASONS[known.code] ?? known.message, status, selection, entries });
  }
}

const STATUSES = [409, 422, 429, 502, 503] as const;

const REASONS: Partial<Record<string, string>> = {
  editor_conflict:
    "This project was changed after you opened it, so your change is not stored. The page shows the new version, with what you entered in the fields: look at both, then save again.",
  transcription_failed:
    "The speech could not be turned into text this time, and nothing was changed. Try again in a minute.",
  request_in_progress: "The captions are being written already. They are shown here as soon as they are done.",
  editor_locked:
    "The assistant is editing this project, so your change is not stored. What you entered is in the fields: save again in a few seconds.",
};

/** Seconds of a form as milliseconds of the timeline. */
const Ms = z.coerce
  .number()
  .min(0)
  .max(DAY_SECONDS)
  .transform((seconds) => Math.round(seconds * 1000));
const ClipEntries = z.object({
  start: Ms.optional(),
  from: Ms.optional(),
  until: Ms.optional(),
  track: z.coerce.number().int().min(1).max(100).optional(),
  volume: z.coerce.number().min(0).max(1000).optional(),
  speed: z.coerce.number().min(0.1).max(16).optional(),
  muted: z.enum(["yes", "no"]).optional(),
});
const WRONG_ENTRY: Mistake = {
  mistake: "Enter the times in seconds, such as 2.5, the track and the volume as numbers.",
};

/** A field that is not in the form stays as it is: the timeline sends only what was dragged. */
function saveClip(c: PageContext): Promise<Response> {
  const id = c.req.param("clipId") ?? "";
  const build: Change["build"] = ({ document }, entries) => {
    if (entries.action) return runClipAction(document, id, entries);
    const parsed = ClipEntries.safeParse(entries);
    if (!parsed.success) return WRONG_ENTRY;
    const { start, from, until, track, volume, speed, muted } = parsed.data;
    const change: ClipChange = {
      ...(start === undefined ? {} : { start_ms: start }),
      ...(from === undefined ? {} : { source_start_ms: from }),
      ...(until === undefined ? {} : { source_end_ms: until }),
      ...(track === undefined ? {} : { track: track - 1 }),
      ...(volume === undefined ? {} : { volume: volume / 100 }),
      ...(speed === undefined ? {} : { speed }),
      ...(muted === undefined ? {} : { muted: muted === "yes" }),
    };
    return toPatch("clips", changeClip(document, id, change));
  };
  return changeProject(c, { selection: { kind: "clip", id }, done: "The clip is saved.", build });
}

/** The actions of the buttons beside a clip. `at` is the time of the playhead, in seconds. */
function runClipAction(document: ProjectDocument, id: string, { action, at }: Entries): Patch | Mistake {
  switch (action) {
    case "remove":
      return toPatch("clips", removeClip(document.clips, id));
    case "close-gap":
      return removeClipAndCloseGap(document, id);
    case "earlier":
    case "later":
      return toPatch("clips", reorderClip(document, id, action === "earlier" ? -1 : 1));
  }
  const time = Ms.safeParse(at);
  if (!time.success) return { mistake: "Enter the time of the cut in seconds, such as 2.5." };
  switch (action) {
    case "split":
      return toPatch("clips", splitClip(document, id, time.data, newId()));
    case "trim-start":
    case "trim-end":
      return toPatch("clips", trimClip(document, id, action === "trim-start" ? "start" : "end", time.data));
    default:
      return WRONG_ENTRY;
  }
}

const TextEntries = z.object({ text: z.string().max(1000).optional(), start: Ms.optional(), end: Ms.optional() });

function saveText(c: PageContext): Promise<Response> {
  const id = c.req.param("clipId") ?? "";
  const build: Change["build"] = ({ document }, entries) => {
    if (entries.action === "remove") return toPatch("text_clips", removeClip(document.text_clips, id));
    const parsed = TextEntries.safeParse(entries);
    if (!parsed.success) return { mistake: "Enter the times in seconds, such as 2.5, and at most 1000 characters." };
    const stored = document.text_clips.find(({ clip_id }) => clip_id === id);
    if (!stored && id !== NEW_TEXT) return { mistake: "This text is no longer in the project." };
    const { text, start, end } = parsed.data;
    const clip = {
      clip_id: stored?.clip_id ?? newId(),
      role: stored?.role ?? "text",
      text: text?.replaceAll("\r\n", "\n") ?? stored?.text ?? "",
      start_ms: start ?? stored?.start_ms ?? 0,
      end_ms: end ?? stored?.end_ms ?? 0,
    };
    return toPatch("text_clips", putTextClip(document, clip));
  };
  return changeProject(c, { selection: { kind: "text", id }, done: "The text is saved.", build });
}

function toPatch<Name extends "clips" | "text_clips">(
  name: Name,
  made: NonNullable<Patch[Name]> | Mistake,
): Patch | Mistake {
  return "mistake" in made ? made : { [name]: made };
}

function rename(c: PageContext): Promise<Response> {
  const build: Change["build"] = (_, { title = "" }) => {
    const trimmed = title.trim();
    if (trimmed === "" || trimmed.length > 200) return { mistake: "Enter a title of at most 200 characters." };
    return { title: trimmed };
  };
  return changeProject(c, { selection: null, done: "The title is saved.", build });
}

function undo(c: PageContext): Promise<Response> {
  const build: Change["build"] = async (project) => {
    const previous = await findPreviousProject(c.var.services.db, c.var.workspace.id, project.id);
    return previous ?? { mistake: "There is nothing to undo." };
  };
  return changeProject(c, { selection: null, done: "The last change is undone.", build });
}

async function writeCaptions(c: PageContext): Promise<Response> {
  const projectId = requireProjectId(c);
  const entries = await readEntries(c);
  const { note = "", expected, key } = entries;
  return attempt(c, { selection: null, entries }, async () => {
    const body = {
      ...(expected ? { expected_updated_at: expected } : {}),
      ...(note.trim() ? { note: note.trim() } : {}),
    };
    const input = { params: { projectId }, body, idempotencyKey: key || newId() };
    const { text_clips } = await runOperation<{ text_clips: ProjectTextClip[] }>(c, addCaptions, input);
    const hasCaptions = text_clips.some(({ role }) => role === "caption");
    setNotice(c, {
      kind: hasCaptions ? "done" : "problem",
      text: hasCaptions ? "The captions are written." : "No speech was found in the clips.",
    });
    return "";
  });
}

/** For pages that are open: has the project changed, and is the assistant editing? */
async function sendState(c: PageContext): Promise<Response> {
  const state = await findProjectState(c.var.services.db, c.var.workspace.id, requireProjectId(c));
  if (!state) throw new PageError(404, "There is no such project in this workspace.");
  return c.json({ updated: state.updatedAt, locked: state.lockedUntil !== null && state.lockedUntil > c.var.now });
}

const PROJECT = "/projects/:projectId";

/** The captions as a file, named like the project. */
function sendCaptionFile(format: CaptionFormat) {
  return async (c: PageContext): Promise<Response> => {
    const { services, workspace } = c.var;
    const project = await findProject(services.db, workspace.actor.scope, requireProjectId(c));
    if (!project) throw new PageError(404, "There is no such project in this workspace.");
    const name = `${project.title.replaceAll(/[^\p{L}\p{N} _.-]+/gu, " ").trim() || "captions"}.${format}`;
    return c.body(buildCaptionFile(project.document.text_clips, format), 200, {
      "Content-Type": CAPTION_TYPES[format],
      // The form for names of any script: https://www.rfc-editor.org/rfc/rfc6266#section-4.3, read 2026-11-28.
      "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    });
  };
}

async function addFiles(c: PageContext): Promise<Response> {
  const id = requireProjectId(c);
  const { files } = await readChosen(c);
  const entries = await readEntries(c);
  const { workspace, services, now } = c.var;
  const { scope } = workspace.actor;
  return attempt(c, { selection: null, entries }, async () => {
    if (files.length === 0) throw apiError("invalid_document", "Choose at least one file to add.");
    const [project, found] = await Promise.all([
      findProject(services.db, scope, id),
      findProjectFiles(services.db, scope, files),
    ]);
    if (found.length < files.length) throw new PageError(404, "One of the chosen files is not in this workspace.");
    const db = openAudited(c, "editor.add-files");
    const context = { db, now, key: toCredential(workspace.actor), ids: newId };
    await addProjectFiles(context, project, requireFiles(files, found), readInstant(entries.expected));
    setNotice(c, { kind: "done", text: files.length === 1 ? "The file is added." : "The files are added." });
    return "";
  });
}

function readInstant(text: string | undefined): Date | undefined {
  const instant = new Date(text ?? "");
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

export const editorPages: Page[] = [
  { id: "editor.show", method: "GET", path: PROJECT, role: "viewer", load: loadProject, handle: (c) => sendProject(c) },
  { id: "editor.state", method: "GET", path: `${PROJECT}/state`, role: "viewer", handle: sendState },
  { id: "editor.save-clip", method: "POST", path: `${PROJECT}/clips/:clipId`, role: "editor", handle: saveClip },
  { id: "editor.save-text", method: "POST", path: `${PROJECT}/texts/:clipId`, role: "editor", handle: saveText },
  { id: "editor.rename", method: "POST", path: `${PROJECT}/title`, role: "editor", handle: rename },
  { id: "editor.undo", method: "POST", path: `${PROJECT}/undo`, role: "editor", handle: undo },
  { id: "editor.add-files", method: "POST", path: `${PROJECT}/files`, role: "editor", handle: addFiles },
  { id: "editor.srt", method: "GET", path: `${PROJECT}/captions.srt`, role: "viewer", handle: sendCaptionFile("srt") },
  { id: "editor.vtt", method: "GET", path: `${PROJECT}/captions.vtt`, role: "viewer", handle: sendCaptionFile("vtt") },
  { id: "editor.captions", method: "POST", path: `${PROJECT}/captions`, role: "editor", handle: writeCaptions },
];
