// Hears what sounds in a cut: from what was heard of its files before, and from the files themselves.
import type { ProjectWord } from "../../drizzle/schema/editor.ts";
import type { Call } from "../call.ts";
import { describeError } from "../describe-error.ts";
import * as editor from "../queries/editor.ts";
import { hear } from "../speech/hear.ts";
import type { Recogniser } from "../speech/recogniser.ts";
import { remoteSound } from "../speech/remote.ts";
import type { Sound } from "../speech/sound.ts";
import { wordsOfClips } from "./captions.ts";
import { type AudibleClip, rangesOf } from "./cut.ts";

export interface Cut {
  recogniser: Recogniser;
  clips: AudibleClip[];
  /** By id; every clip has one. */
  files: Map<string, editor.HeardFile>;
}

type Io = Pick<Call, "db" | "env" | "key" | "bucket" | "log" | "requestId">;

/** The words of each clip on the timeline. Throws what kept the cut from being heard. */
export async function hearCut(
  io: Io,
  { recogniser, clips, files }: Cut,
): Promise<{ words: ProjectWord[][]; language: string | null }> {
  const { db, key } = io;
  const contentOf = (fileId: string) => files.get(fileId)?.sha256 ?? "";
  const ranges = rangesOf(clips, contentOf);
  const byContent = new Map([...files.values()].map((file) => [file.sha256, file]));
  const known = await editor.heardBefore(db, key.scope, recogniser.name, [...ranges.keys()]);
  const wanted = [...ranges].map(([sha256, list]) => {
    return { sha256, ranges: list, open: () => open(io, byContent.get(sha256)) };
  });
  const { fresh, words, language, failure } = await hear(recogniser, known, wanted);
  // Also when something failed: a repeat then goes on where this one ended.
  await editor.keepHeard(db, key.scope, recogniser.name, fresh);
  if (failure) {
    io.log({ level: "error", error: describeError(failure.error) });
    throw failure.error;
  }
  return { words: wordsOfClips(clips, words, contentOf), language };
}

async function open({ bucket, env, requestId }: Io, file: editor.HeardFile | undefined): Promise<Sound> {
  if (!file) throw new Error("a clip of the cut has no file");
  const url = await (await bucket()).presignGet(file.objectKey);
  return remoteSound(env, { url, size: file.size, etag: null, requestId });
}
