// Reads the streams that a video declares: codecs, frame size and rotation.
import {
  CustomSource,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  Logging,
  LogLevel,
  MP4,
  QTFF,
  WEBM,
} from "mediabunny";
import type { MediaSource } from "../media-source.ts";
import { verificationError } from "../verification-error.ts";

export interface TrackInfo {
  /** Track id in MP4 and QuickTime, track number in WebM. */
  id: number;
  codec: string | null;
  /** The code of the codec in the file. */
  code: unknown;
  /** Size of the coded frame; zero for audio. */
  width: number;
  height: number;
}

export interface StreamInfo {
  video: TrackInfo;
  audio: TrackInfo | null;
  /** The codec's configuration record. */
  decoderConfig: Uint8Array | null;
  /** Displayed size: after rotation and pixel aspect ratio. */
  width: number;
  height: number;
  rotation: number;
  mirrored: boolean;
}

/** The demuxer gets only `head`: in the whole file it would follow all fragments, and crafted tables endlessly. */
export async function readStreamInfo(head: Uint8Array[]): Promise<StreamInfo> {
  const input = openDemuxer(createJoinedSource(head), "none");
  try {
    const video = await input.getPrimaryVideoTrack();
    if (!video) throw verificationError("no_video_track", "The file contains no video track.");
    const audio = await input.getPrimaryAudioTrack();
    return {
      ...(await readVideoTrack(video)),
      audio: audio && { id: audio.id, codec: await readAudioCodec(audio), code: null, width: 0, height: 0 },
    };
  } finally {
    input.dispose();
  }
}

async function readVideoTrack(video: InputVideoTrack): Promise<Omit<StreamInfo, "audio">> {
  const codec = await video.getCodec();
  // For other codecs the demuxer would read the first frame, which is not in `head`.
  const config = codec === "avc" || codec === "hevc" ? await video.getDecoderConfig() : null;
  return {
    video: {
      id: video.id,
      codec,
      code: await video.getInternalCodecId(),
      width: await video.getCodedWidth(),
      height: await video.getCodedHeight(),
    },
    decoderConfig: toBytes(config?.description),
    width: Math.round(await video.getDisplayWidth()),
    height: Math.round(await video.getDisplayHeight()),
    rotation: await video.getRotation(),
    mirrored: isMirrored(await video.getTransformationMatrix()),
  };
}

/** The name of the codec, or its code in the file where the demuxer has no name for it, such as alac. */
async function readAudioCodec(audio: InputAudioTrack): Promise<string | null> {
  const [codec, code] = [await audio.getCodec(), await audio.getInternalCodecId()];
  return codec ?? (typeof code === "string" ? code.trim() : null);
}

/** A rotation has a positive determinant, a flip a negative one. */
function isMirrored([a, b, , c, d]: readonly number[]): boolean {
  return (a ?? 1) * (d ?? 1) - (b ?? 0) * (c ?? 0) < 0;
}

export function openDemuxer(source: Pick<MediaSource, "size" | "read">, prefetchProfile: "none" | "network"): Input {
  // Problems of a customer's file are reported to the customer, not logged.
  Logging.level = LogLevel.Silent;
  return new Input({
    formats: [MP4, QTFF, WEBM],
    source: new CustomSource({
      getSize: () => source.size,
      read: (start, end) => source.read(start, end - start),
      prefetchProfile,
      // An error of a read-ahead occurs again at the read that needs the data.
      handleUnhandledError: () => undefined,
    }),
  });
}

/** Concatenates byte arrays into one source; a read within one of them does not copy. */
function createJoinedSource(pieces: Uint8Array[]): Pick<MediaSource, "size" | "read"> {
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

function toBytes(description: ArrayBufferLike | ArrayBufferView | undefined): Uint8Array | null {
  if (!description) return null;
  if (ArrayBuffer.isView(description)) {
    return new Uint8Array(description.buffer, description.byteOffset, description.byteLength);
  }
  return new Uint8Array(description);
}
