// Captions compared with the audio that ffmpeg mixes from the same clips of the same files.
import { expect, test } from "vitest";
import { at } from "../../lib/shared/at.ts";
import { recognizeWords, type ToneWord } from "../local/fake-speech.ts";
import { createTestTenant } from "../support/harness.ts";
import { decodeSamples, hasFfmpeg, runFfmpeg, WHY_SKIPPED } from "../transcription/ffmpeg.ts";
import { createSpokenVideo } from "../transcription/spoken-video.ts";
import { type CreatedProject, createProject, requestCaptions, uploadFile } from "./factories.ts";

const WITHIN_MS = 80;

interface Clip {
  asset_id: string;
  start_ms: number;
  end_ms: number;
  source_start_ms: number;
  source_end_ms: number;
  speed: number;
  volume: number;
  muted: boolean;
}

/** Words at an interval that is not a multiple of the frame duration. */
function buildWords(names: string, everyMs: number, lengthMs: number): ToneWord[] {
  return names.split(" ").map((text, at) => {
    const startMs = 300 + at * everyMs;
    return { text, startMs, endMs: startMs + lengthMs };
  });
}

/** Mixes the clips with their trim, speed, volume and position. */
async function mixClips(clips: Clip[], files: Map<string, { name: string; bytes: Uint8Array }>) {
  const used = clips.flatMap((clip) => ({ clip, file: files.get(clip.asset_id) }));
  const inputs = Object.fromEntries([...files.values()].map(({ name, bytes }) => [name, bytes]));
  const chains = used.map(({ clip }, at) => {
    const trim = `atrim=start=${clip.source_start_ms / 1000}:end=${clip.source_end_ms / 1000},asetpts=PTS-STARTPTS`;
    const fast = clip.speed === 1 ? "" : `,atempo=${clip.speed}`;
    const loud = clip.muted ? 0 : clip.volume;
    return `[${at}:a]aresample=48000,${trim}${fast},volume=${loud},adelay=${clip.start_ms}:all=1[c${at}]`;
  });
  const all = used.map((_, at) => `[c${at}]`).join("");
  const graph = `${chains.join(";")};${all}amix=inputs=${used.length}:normalize=0:duration=longest[out]`;
  return runFfmpeg(
    inputs,
    (path) => [
      ...used.flatMap(({ file }) => ["-i", path(file?.name ?? "")]),
      ...["-filter_complex", graph, "-map", "[out]", "-ac", "1", "-c:a", "pcm_s16le"],
    ],
    "mix.wav",
  );
}

const toClip = (
  asset_id: string,
  [start_ms, end_ms]: [number, number],
  [from, until]: [number, number],
  more: object = {},
) => ({
  asset_id,
  start_ms,
  end_ms,
  source_start_ms: from,
  source_end_ms: until,
  ...{ speed: 1, volume: 1, muted: false },
  ...more,
});

test("200 captions of trimmed, fast, overlapping, muted and silent clips match the mixed audio", {
  timeout: 120_000,
}, async ({ skip }) => {
  skip(!hasFfmpeg, WHY_SKIPPED);
  const { api } = await createTestTenant();
  const [long, fast, plain, mute] = await Promise.all([
    createSpokenVideo(
      12_000,
      buildWords("hello world welcome to the show today we make small films about light", 870, 330),
    ),
    createSpokenVideo(9_000, buildWords("water music people places thank you hello and world", 930, 420)),
    createSpokenVideo(5_000, buildWords("small light you the", 1130, 380)),
    createSpokenVideo(3_000, null),
  ]);
  const aac = ["-c:v", "copy", "-c:a", "aac", "-ar", "44100", "-ac", "2"];
  const opus = [
    "-vf",
    "scale=180:320",
    "-r",
    "5",
    "-c:v",
    "libvpx",
    "-deadline",
    "realtime",
    "-cpu-used",
    "8",
    "-b:v",
    "100k",
    "-c:a",
    "libopus",
  ];
  const files = [
    { name: "long.mp4", bytes: await runFfmpeg({ a: long }, (path) => ["-i", path("a"), ...aac], "long.mp4") },
    { name: "fast.webm", bytes: await runFfmpeg({ a: fast }, (path) => ["-i", path("a"), ...opus], "fast.webm") },
    { name: "plain.mov", bytes: plain },
    { name: "mute.mov", bytes: mute },
  ];
  const types = ["video/mp4", "video/webm", "video/quicktime", "video/quicktime"];
  const ids = await Promise.all(files.map(({ bytes }, index) => uploadFile(api, bytes, at(types, index))));
  const project = await createProject(api, ids);
  const [a = "", b = "", c = "", d = ""] = project.assets.map(({ asset_id }) => asset_id);

  const clips = [
    // Trimmed on both sides, within a frame.
    toClip(a, [0, 5_219], [2_011, 7_230]),
    // Double speed and low volume.
    toClip(b, [5_500, 9_500], [500, 8_500], { speed: 2, volume: 0.6, track: 1 }),
    // Overlaps the end of the fast clip.
    toClip(c, [8_000, 13_000], [0, 5_000], { track: 2 }),
    toClip(a, [13_500, 18_500], [7_000, 12_000], { muted: true }),
    toClip(d, [18_500, 21_500], [0, 3_000]),
  ].map((clip, at) => ({ track: 0, ...clip, clip_id: `clip-${at}` }));
  const path = `/editor/projects/${project.project_id}`;
  const edit = await api.patch(path, { expected_updated_at: project.updated_at, clips });
  expect(edit.status, edit.body.message).toBe(200);

  const response = await requestCaptions(api, project.project_id);
  expect(response.status, response.body.message).toBe(200);
  const made: CreatedProject = response.body.data;
  const transcript = (await api.get(`${path}/transcript`)).body.data.words;

  const audible = clips.filter(({ asset_id }) => asset_id !== d);
  const byAsset = new Map(project.assets.map(({ asset_id }, at) => [asset_id, files[at] ?? { name: "", bytes: long }]));
  const { samples, rate } = await decodeSamples("mix.wav", await mixClips(audible, byAsset));
  const sounded = recognizeWords(samples, rate);
  expect(sounded.length).toBeGreaterThan(15);

  // The transcript contains exactly the words of the mix, at their times.
  const inOrder = (words: { text: string; at: number }[]) =>
    words.sort((x, y) => x.text.localeCompare(y.text) || x.at - y.at);
  const wanted = inOrder(sounded.map(({ text, startMs }) => ({ text, at: startMs })));
  const recognized = inOrder(
    transcript.map(({ text, start_ms }: { text: string; start_ms: number }) => ({ text, at: start_ms })),
  );
  expect(recognized.map(({ text }) => text)).toEqual(wanted.map(({ text }) => text));
  for (const [index, { text, at: start }] of recognized.entries()) {
    expect(Math.abs(start - at(wanted, index).at), `${text} at ${start}`).toBeLessThanOrEqual(WITHIN_MS);
  }

  for (const caption of made.text_clips) {
    const spoken = caption.text.split(/\s/);
    const first = sounded.find(
      ({ text, startMs }) => text === spoken[0] && Math.abs(startMs - caption.start_ms) <= WITHIN_MS,
    );
    // Shown until after its last word, for half a second at most, or a second in all.
    const last = sounded.find(
      ({ text, startMs, endMs }) =>
        text === spoken.at(-1) &&
        startMs >= caption.start_ms - WITHIN_MS &&
        caption.end_ms >= endMs - WITHIN_MS &&
        caption.end_ms <= Math.max(endMs + 500, caption.start_ms + 1_000) + WITHIN_MS,
    );
    expect([caption.text, Boolean(first), Boolean(last)]).toEqual([caption.text, true, true]);
    expect(caption.text.length).toBeLessThanOrEqual(42);
    expect(caption.end_ms - caption.start_ms).toBeLessThanOrEqual(3_500);
  }
  const words = made.text_clips.flatMap(({ text }) => text.split(/\s/));
  expect(words.toSorted()).toEqual(sounded.map(({ text }) => text).toSorted());
});

test("the mix detects a wrong position, trim or speed: other clips have other words", async ({ skip }) => {
  skip(!hasFfmpeg, WHY_SKIPPED);
  const words = buildWords("hello world welcome to", 870, 330);
  const bytes = await createSpokenVideo(4_000, words);
  const files = new Map([["a", { name: "a.mov", bytes }]]);
  const recognizeMix = async (clip: Clip) => {
    const { samples, rate } = await decodeSamples("mix.wav", await mixClips([clip], files));
    return recognizeWords(samples, rate).map(({ text, startMs }) => [text, startMs] as const);
  };
  const right = await recognizeMix(toClip("a", [1_000, 5_000], [0, 4_000]));
  expect(right.map(([text]) => text)).toEqual(["hello", "world", "welcome", "to"]);
  for (const [index, [, start]] of right.entries()) {
    expect(Math.abs(start - 1_000 - at(words, index).startMs)).toBeLessThanOrEqual(10);
  }
  expect((await recognizeMix(toClip("a", [1_000, 2_900], [1_000, 2_900]))).map(([text]) => text)).toEqual([
    "world",
    "welcome",
  ]);
  expect((await recognizeMix(toClip("a", [0, 2_000], [0, 4_000], { speed: 2 })))[3]?.[1]).toBeLessThan(1_600);
});
