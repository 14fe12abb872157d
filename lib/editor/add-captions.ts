// Captions for a project: what refuses the request, in its order, then the cut is heard and the words are written.
import type { Call } from "../call.ts";
import { type Refusal, refusalOf, refuse } from "../errors.ts";
import * as editor from "../queries/editor.ts";
import { type CaptionsRequest, TEXT_CLIPS_AT_MOST } from "../schemas/editor.ts";
import { canPack } from "../speech/pack.ts";
import { recogniserOf } from "../speech/recogniser.ts";
import { look, spend } from "./budget.ts";
import { captionsOf, inOrder } from "./captions.ts";
import { type AudibleClip, audibleClips, printOf } from "./cut.ts";
import { changed, documentFault } from "./document.ts";
import { type Cut, hearCut } from "./hear-cut.ts";
import { conflict, invalid, requireEditable, settled, withHeaders } from "./refusals.ts";

type Io = Call & { body: CaptionsRequest };
type Found = Awaited<ReturnType<typeof editor.findWithFiles>>;

export interface Captioned {
  project: editor.StoredProject;
  message: string;
  /** What is left of the budget. */
  headers: Record<string, string>;
}

export async function addCaptions(io: Io, found: Found): Promise<Captioned> {
  const project = found?.project ?? null;
  try {
    requireEditable(project, { now: io.now, expected: io.body.expected_updated_at });
  } catch (error) {
    throw await counted(io, error);
  }
  // A cut has one set of captions for ever; nothing is heard again, so nothing is charged.
  if (project.document.text_clips.some(({ role }) => role === "caption")) {
    return { project, message: "The cut has captions already.", headers: (await look(io)).headers };
  }
  const clips = audibleClips(project.document);
  const files = new Map(found?.files.map((file) => [file.id, file]));
  const recogniser = recogniserOf(io);
  const against = objection(project, clips, files);
  if (against || !recogniser) throw await unlessSpent(io, against ?? noRecogniser());
  const { headers, refusal } = await spend(io);
  if (refusal) throw refusal;
  try {
    const after = await captioned(io, project, { recogniser, clips, files });
    return { project: after, message: after === project ? "Nobody speaks in the cut." : "Captions added.", headers };
  } catch (error) {
    const known = refusalOf(error);
    throw known ? withHeaders(known, headers) : error;
  }
}

/** What speaks against hearing the cut, as far as it can be told without reading a file. */
function objection({ document }: editor.StoredProject, clips: AudibleClip[], files: Cut["files"]): Refusal | null {
  if (clips.length === 0) {
    const message = "Nothing on the timeline can be heard: every clip is without sound, muted or at volume 0.";
    return refuse("no_audio_source", message);
  }
  const fault = documentFault(document);
  if (fault) return invalid(fault);
  for (const { clip_id, fileId } of clips) {
    const file = files.get(fileId);
    if (!file) return invalid(`The file of the clip ${clip_id} was deleted, so its sound cannot be read.`);
    const { audioCodec } = file;
    if (audioCodec && !canPack(audioCodec)) {
      return invalid(`The sound of the clip ${clip_id} is ${audioCodec}, which cannot be transcribed.`);
    }
  }
  return null;
}

function noRecogniser(): Refusal {
  return refuse("provider_unavailable", "No speech recogniser is configured, so nothing can be transcribed.");
}

/** Also a refusal that spends nothing says what is left. */
async function counted(io: Io, error: unknown): Promise<unknown> {
  const refusal = refusalOf(error);
  return refusal ? withHeaders(refusal, (await look(io)).headers) : error;
}

/** A budget that is spent goes before any other reason; what is refused before it is heard spends nothing. */
async function unlessSpent(io: Io, against: Refusal): Promise<Refusal> {
  const { refusal, headers } = await look(io);
  return refusal ?? withHeaders(against, headers);
}

async function captioned(io: Io, project: editor.StoredProject, cut: Cut): Promise<editor.StoredProject> {
  const { db, key, body, ids } = io;
  const { words, language } = await hearCut(io, cut);
  const transcript = { cut: printOf(cut.clips), language, words: inOrder(words) };
  const captions = captionsOf(cut.clips, words, ids);
  if (captions.length === 0) {
    if (!(await editor.keepTranscript(db, key.scope, project, transcript))) throw conflict();
    return project;
  }
  const text_clips = [...project.document.text_clips, ...captions];
  if (text_clips.length > TEXT_CLIPS_AT_MOST) {
    throw invalid(`The project would have ${text_clips.length} text clips, at most ${TEXT_CLIPS_AT_MOST} are kept.`);
  }
  const now = io.clock();
  const undo = { revision: project.revision, label: "Add captions", at: now.toISOString() };
  const document = changed(project.document, { text_clips }, undo);
  const activity = { kind: "captions_added" as const, note: body.note ?? null, actor: key.publicId };
  const written = { title: project.title, document, transcript, activity, now };
  return settled(await editor.change(db, key.scope, project, written));
}
