// Proves that a file is a playable video of the declared type, as far as that is possible without decoding pictures.
import {
  CustomSource,
  EncodedPacketSink,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  Logging,
  LogLevel,
  MP4,
  QTFF,
  WEBM,
} from "mediabunny";
import { checkBoxes } from "./boxes.ts";
import { frameChecker } from "./codecs.ts";
import { checkElements } from "./ebml.ts";
import { checkFrames } from "./frames.ts";
import { LIMITS } from "./limits.ts";
import type { Movie } from "./movie.ts";
import { refusalOf, refuse } from "./refusal.ts";
import type { Guarded, MediaSource } from "./source.ts";

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
}

export async function checkVideo(guarded: Guarded, contentType: string): Promise<VideoFacts> {
  const { source } = guarded;
  const movie = contentType === "video/webm" ? await checkElements(source) : await checkBoxes(source);
  const input = open(movie ? withoutSeekTable(source, movie.seekTable) : source);
  try {
    return await checkTracks(input, movie ?? null, source.size);
  } catch (error) {
    if (refusalOf(error) || guarded.failed()) throw error;
    // The demuxer throws whatever its parsers meet; by now the bytes were read, so it is the file.
    throw refuse("malformed", "The video is damaged: its structure cannot be read.");
  } finally {
    input.dispose();
  }
}

function open(source: MediaSource): Input {
  // What is wrong with a customer's file is told to the customer, not to our log.
  Logging.level = LogLevel.Silent;
  return new Input({
    formats: [MP4, QTFF, WEBM],
    source: new CustomSource({
      getSize: () => source.size,
      read: (start, end) => source.read(start, end - start),
      prefetchProfile: "network",
      // A failed read-ahead shows again at the read that needs it.
      handleUnhandledError: () => undefined,
    }),
  });
}

/**
 * A crafted table for seeking keeps the demuxer seeking for ever, and every fragment was walked anyway: so the name
 * of that box is blanked in what the demuxer reads.
 */
function withoutSeekTable(source: MediaSource, start: number | null): MediaSource {
  if (start === null) return source;
  const name = start + 4;
  return {
    ...source,
    async read(offset, length) {
      const bytes = await source.read(offset, length);
      if (name < offset || name >= offset + length) return bytes;
      const copy = bytes.slice();
      copy[name - offset] = 0x2d;
      return copy;
    },
  };
}

async function checkTracks(input: Input, movie: Movie | null, size: number): Promise<VideoFacts> {
  const video = await input.getPrimaryVideoTrack();
  if (!video) throw refuse("no_video_track", "The file contains no video, or its video track is missing.");
  const audio = await input.getPrimaryAudioTrack();
  const codec = await video.getCodec();
  const config = codec ? await video.getDecoderConfig() : null;
  const checker = frameChecker(codec, bytesOf(config?.description));
  await checkFirstFrame(video, checker);
  await checkLastPackets(video, audio);
  const expected = movie && !movie.fragmented ? (movie.samples.get(video.id) ?? null) : null;
  const spread = size > LIMITS.fullWalkBytes;
  await checkFrames({ video, audio: spread ? null : audio, checker, expected, spread });
  const seconds = await checkDuration(input, [video, ...(audio ? [audio] : [])], movie);
  const [width, height] = [await video.getDisplayWidth(), await video.getDisplayHeight()];
  if (!(width > 0 && height > 0 && width <= LIMITS.videoSide && height <= LIMITS.videoSide)) throw badSize();
  return {
    durationMs: Math.round(seconds * 1000),
    width: Math.round(width),
    height: Math.round(height),
    rotation: await video.getRotation(),
    hasVideoStream: true,
    hasAudioStream: audio !== null,
    videoCodec: codec ?? "",
    audioCodec: audio ? await audio.getCodec() : null,
    fps: await frameRate(video),
  };
}

function bytesOf(description: ArrayBufferLike | ArrayBufferView | undefined): Uint8Array | null {
  if (!description) return null;
  if (ArrayBuffer.isView(description)) {
    return new Uint8Array(description.buffer, description.byteOffset, description.byteLength);
  }
  return new Uint8Array(description);
}

function badSize(): Error {
  return refuse("size_mismatch", "The video is damaged: its picture size is not the one its frames have.");
}

async function checkFirstFrame(video: InputVideoTrack, checker: ReturnType<typeof frameChecker>): Promise<void> {
  const packet = await new EncodedPacketSink(video).getFirstKeyPacket();
  if (!packet) throw refuse("video_data", "The video contains no frame that a player can begin with.");
  const sizes = checker.begin(packet.data);
  const known = checker.check(packet.data);
  if (!known && (await video.determinePacketType(packet)) !== "key") {
    throw refuse("video_data", "The video contains no frame that a player can begin with.");
  }
  const [width, height] = [await video.getCodedWidth(), await video.getCodedHeight()];
  if (sizes && !sizes.some((size) => size.width === width && size.height === height)) throw badSize();
}

/** The library answers null where a table points outside of the file. */
async function checkLastPackets(video: InputVideoTrack, audio: InputAudioTrack | null): Promise<void> {
  for (const track of audio ? [video, audio] : [video]) {
    const last = await new EncodedPacketSink(track).getPacket(Number.POSITIVE_INFINITY);
    if (!last || last.data.byteLength === 0) {
      throw refuse("truncated", "The video is incomplete: its index points past the end of the file.");
    }
  }
}

type Tracks = (InputVideoTrack | InputAudioTrack)[];

/** What the tables add up to must be what the header says; an edit list may show less than there is. */
async function checkDuration(input: Input, tracks: Tracks, movie: Movie | null): Promise<number> {
  const computed = await input.computeDuration(tracks);
  const stated = await input.getDurationFromMetadata(tracks);
  if (!(computed > 0) || !Number.isFinite(computed)) throw badDuration();
  if (stated !== null && Math.abs(stated - computed) > Math.max(1, computed * 0.02)) throw badDuration();
  const shown = movie?.edited ? movie.presented : null;
  return shown !== null && shown < computed - 0.25 ? shown : computed;
}

function badDuration(): Error {
  return refuse("duration_mismatch", "The video is incomplete or damaged: it is not as long as its header says.");
}

async function frameRate(video: InputVideoTrack): Promise<number | null> {
  const { averagePacketRate } = await video.computePacketStats(120);
  return Number.isFinite(averagePacketRate) ? Math.round(averagePacketRate * 1000) / 1000 : null;
}
