// Proves that a file is a playable video of the declared type, as far as that is possible without decoding pictures.
import { damagedIndex } from "./box-tree.ts";
import { findMovie } from "./boxes.ts";
import { frameChecker } from "./codecs.ts";
import { type FragmentTimes, walkFragments } from "./fragments.ts";
import { badSize, type FrameWatch, watchFrames } from "./frames.ts";
import { LIMITS } from "./limits.ts";
import type { Movie, Track } from "./movie.ts";
import { checkTail } from "./polyglot.ts";
import { refusalOf, refuse } from "./refusal.ts";
import { inFileOrder } from "./sample-table.ts";
import type { Guarded } from "./source.ts";
import { readStreams, type Streams } from "./streams.ts";
import { findSegment, walkWebm } from "./webm.ts";

export interface VideoFacts {
  durationMs: number;
  /** As shown: after rotation and pixel aspect ratio. */
  width: number;
  height: number;
  rotation: number;
  hasVideoStream: boolean;
  hasAudioStream: boolean;
  videoCodec: string;
  audioCodec: string | null;
  fps: number | null;
  /** All of them were looked at. */
  frames: number;
}

interface Checked {
  facts: VideoFacts;
  /** Where the known parts of the file end. */
  end: number;
}

/** What the pass over the file has found. */
interface Passed {
  seconds: number;
  fps: number;
  /** Whether the sound track has anything in it. */
  sound: boolean;
  end: number;
}

export async function checkVideo(
  guarded: Guarded,
  contentType: string,
): Promise<{ facts: VideoFacts; sha256: string }> {
  try {
    const checked = contentType === "video/webm" ? await checkWebm(guarded) : await checkMp4(guarded);
    await checkTail(guarded.source, checked.end, contentType);
    return { facts: checked.facts, sha256: await guarded.tape.finish() };
  } catch (error) {
    if (refusalOf(error) || guarded.failed()) throw error;
    // Parsers throw whatever they meet; by now the bytes were read, so it is the file.
    throw refuse("malformed", "The video is damaged: its structure cannot be read.");
  } finally {
    await guarded.tape.close();
  }
}

async function checkWebm(guarded: Guarded): Promise<Checked> {
  const { source, tape } = guarded;
  const segment = await findSegment(source);
  const streams = await readStreams(segment.head);
  const watch = watchStreams(streams, source.size);
  const { stated, seconds, tracks, frames, end } = await walkWebm(tape, segment, watch.visit);
  const pictures = tracks.get(streams.video.id);
  if (!pictures) throw noFrames();
  const step = pictures.count > 1 ? (pictures.last - pictures.first) / (pictures.count - 1) : 0;
  // Times are rounded to milliseconds, so what the file says of its frames is finer, unless it is wrong.
  const told = (frames.get(streams.video.id) ?? 0) / 1e9;
  const fps = 1 / (Math.abs(told - step) < step * 0.02 ? told : step);
  const computed = Math.max(seconds, pictures.last + step);
  checkStated(stated, computed);
  const sound = streams.sound !== null && tracks.has(streams.sound.id);
  return finish(streams, watch, { seconds: stated ?? computed, fps, sound, end });
}

async function checkMp4(guarded: Guarded): Promise<Checked> {
  const { source } = guarded;
  const { movie, head, end } = await findMovie(source);
  const streams = await readStreams(head);
  const watch = watchStreams(streams, source.size);
  const passed = movie.fragments
    ? await passFragments(guarded, movie, end, streams, watch)
    : await passSamples(guarded, movie, end, streams, watch);
  return finish(streams, watch, passed);
}

function watchStreams(streams: Streams, fileSize: number): FrameWatch {
  const { video, sound, setup, width, height } = streams;
  if (!(width > 0 && height > 0 && width <= LIMITS.videoSide && height <= LIMITS.videoSide)) throw badSize();
  return watchFrames(video, sound, frameChecker(video, setup), fileSize);
}

async function passSamples(guarded: Guarded, movie: Movie, end: number, streams: Streams, watch: FrameWatch) {
  const { video, sound } = tracksOf(movie, streams);
  if (video.samples.count === 0) throw noFrames();
  await passIndexed(guarded, movie, streams, watch);
  for (const track of sound ? [video, sound] : [video]) checkStated(track.stated, track.seconds);
  const longest = Math.max(...movie.tracks.map(({ shown }) => shown));
  const agreed = movie.stated !== null && Math.abs(movie.stated - longest) <= tolerance(longest);
  const seconds = agreed ? (movie.stated ?? longest) : Math.max(video.shown, sound?.shown ?? 0);
  return { seconds, fps: video.samples.count / video.seconds, sound: (sound?.samples.count ?? 0) > 0, end };
}

/** All samples that the index lists, in the order of the file. */
async function passIndexed({ tape }: Guarded, movie: Movie, streams: Streams, watch: FrameWatch): Promise<void> {
  const { video, sound } = tracksOf(movie, streams);
  const tracks = sound && streams.sound?.codec === "aac" ? [video, sound] : [video];
  for (const { track, offset, size } of inFileOrder(tracks)) {
    watch.visit(track, tape.held(offset, size) ?? (await tape.take(offset, size)));
  }
}

async function passFragments(guarded: Guarded, movie: Movie, from: number, streams: Streams, watch: FrameWatch) {
  // Some writers list the first fragment in the index.
  await passIndexed(guarded, movie, streams, watch);
  const listed = movie.tracks.filter(({ samples }) => samples.count > 0);
  const times = new Map(listed.map(({ id, samples: { ticks, count } }) => [id, { first: 0, end: ticks, count }]));
  const defaults = movie.fragments?.samples ?? new Map();
  const tracks = await walkFragments({ tape: guarded.tape, from, defaults, times, visit: watch.visit });
  const { video, sound } = tracksOf(movie, streams);
  const [pictures, sounds] = [secondsOf(tracks, video), secondsOf(tracks, sound)];
  if (!pictures) throw noFrames();
  const longest = Math.max(pictures.to, sounds?.to ?? 0) - Math.min(pictures.from, sounds?.from ?? pictures.from);
  const stated = movie.fragments?.stated ?? null;
  checkStated(stated, longest);
  // Without fragments the header is shorter, but what it promises must be there.
  if (movie.stated !== null && movie.stated > longest + tolerance(longest)) throw badDuration();
  const fps = pictures.count / (pictures.to - pictures.from);
  return { seconds: stated ?? longest, fps, sound: sounds !== null, end: guarded.source.size };
}

function secondsOf(tracks: FragmentTimes, track: Track | null) {
  const times = track && tracks.get(track.id);
  if (!times || times.count === 0) return null;
  return { from: times.first / track.timescale, to: times.end / track.timescale, count: times.count };
}

function finish(streams: Streams, watch: FrameWatch, { seconds, fps, sound, end }: Passed): Checked {
  const frames = watch.finish();
  if (!(seconds > 0) || !Number.isFinite(seconds)) throw badDuration();
  const facts = {
    durationMs: Math.round(seconds * 1000),
    width: streams.width,
    height: streams.height,
    rotation: streams.rotation,
    hasVideoStream: true,
    hasAudioStream: sound,
    videoCodec: streams.video.codec ?? "",
    audioCodec: sound ? (streams.sound?.codec ?? null) : null,
    fps: Number.isFinite(fps) ? Math.round(fps * 1000) / 1000 : null,
    frames,
  };
  return { facts, end };
}

function tracksOf(movie: Movie, { video, sound }: Streams): { video: Track; sound: Track | null } {
  const track = (id: number | undefined) => movie.tracks.find((one) => one.id === id) ?? null;
  const pictures = track(video.id);
  if (!pictures) throw damagedIndex();
  return { video: pictures, sound: track(sound?.id) };
}

/** What a header says must be what the samples add up to. */
function checkStated(stated: number | null, seconds: number): void {
  if (stated !== null && Math.abs(stated - seconds) > tolerance(seconds)) throw badDuration();
}

function tolerance(seconds: number): number {
  return Math.max(1, seconds * 0.02);
}

function badDuration(): Error {
  return refuse("duration_mismatch", "The video is incomplete or damaged: it is not as long as its header says.");
}

function noFrames(): Error {
  return refuse("truncated", "The video is incomplete: none of its frames are in the file.");
}
