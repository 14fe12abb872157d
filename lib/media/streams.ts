// What the head of a video says about its streams: codecs, picture size and rotation.
import { CustomSource, Input, type InputVideoTrack, Logging, LogLevel, MP4, QTFF, WEBM } from "mediabunny";
import { refuse } from "./refusal.ts";
import type { MediaSource } from "./source.ts";

export interface Stream {
  /** Track id in MP4 and QuickTime, track number in WebM. */
  id: number;
  codec: string | null;
  /** Of the coded picture; zero for sound. */
  width: number;
  height: number;
}

export interface Streams {
  video: Stream;
  sound: Stream | null;
  /** What the decoder needs to know before the first frame. */
  setup: Uint8Array | null;
  /** As shown: after rotation and pixel aspect ratio. */
  width: number;
  height: number;
  rotation: number;
}

/** `head` is all that the demuxer sees: it would follow fragments through the whole file, and crafted tables for ever. */
export async function readStreams(head: Uint8Array[]): Promise<Streams> {
  const input = demuxer(joined(head), "none");
  try {
    const video = await input.getPrimaryVideoTrack();
    if (!video) throw refuse("no_video_track", "The file contains no video, or its video track is missing.");
    const sound = await input.getPrimaryAudioTrack();
    return {
      ...(await pictureOf(video)),
      sound: sound && { id: sound.id, codec: await sound.getCodec(), width: 0, height: 0 },
    };
  } finally {
    input.dispose();
  }
}

async function pictureOf(video: InputVideoTrack): Promise<Omit<Streams, "sound">> {
  const codec = await video.getCodec();
  // Of other codecs it would look into the first frame, which is not in the head.
  const config = codec === "avc" || codec === "hevc" ? await video.getDecoderConfig() : null;
  return {
    video: { id: video.id, codec, width: await video.getCodedWidth(), height: await video.getCodedHeight() },
    setup: bytesOf(config?.description),
    width: Math.round(await video.getDisplayWidth()),
    height: Math.round(await video.getDisplayHeight()),
    rotation: await video.getRotation(),
  };
}

export function demuxer(source: Pick<MediaSource, "size" | "read">, prefetchProfile: "none" | "network"): Input {
  // What is wrong with a customer's file is told to the customer, not to our log.
  Logging.level = LogLevel.Silent;
  return new Input({
    formats: [MP4, QTFF, WEBM],
    source: new CustomSource({
      getSize: () => source.size,
      read: (start, end) => source.read(start, end - start),
      prefetchProfile,
      // A failed read-ahead shows again at the read that needs it.
      handleUnhandledError: () => undefined,
    }),
  });
}

/** Bytes in memory that follow each other; whoever reads inside one piece gets no copy of it. */
function joined(pieces: Uint8Array[]): Pick<MediaSource, "size" | "read"> {
  const starts: number[] = [];
  let size = 0;
  for (const piece of pieces) {
    starts.push(size);
    size += piece.length;
  }
  return {
    size,
    async read(offset, length) {
      const at = starts.findLastIndex((start) => start <= offset);
      const begin = offset - (starts[at] ?? 0);
      const inside = pieces[at]?.subarray(begin, begin + length) ?? new Uint8Array(0);
      if (inside.length === length) return inside;
      const bytes = new Uint8Array(length);
      for (const [i, piece] of pieces.entries()) {
        const place = (starts[i] ?? 0) - offset;
        if (place < length) bytes.set(piece.subarray(Math.max(0, -place), length - place), Math.max(0, place));
      }
      return bytes;
    },
  };
}

function bytesOf(description: ArrayBufferLike | ArrayBufferView | undefined): Uint8Array | null {
  if (!description) return null;
  if (ArrayBuffer.isView(description)) {
    return new Uint8Array(description.buffer, description.byteOffset, description.byteLength);
  }
  return new Uint8Array(description);
}
