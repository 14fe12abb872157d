// Writes FLAC: the stream info without total length and checksum, followed by the frames.
import { concatBytes } from "./binary-writer.ts";
import type { AudioConfig, AudioPacket } from "./encoded-audio.ts";

const [MARK_BYTES, BLOCK_HEADER_BYTES, STREAM_INFO_BYTES] = [4, 4, 34];

export function writeFlac({ description }: AudioConfig, packets: readonly AudioPacket[]): Uint8Array<ArrayBuffer> {
  const head = description.slice(0, MARK_BYTES + BLOCK_HEADER_BYTES + STREAM_INFO_BYTES);
  // Stream info is the only metadata block, so it is marked as the last one.
  head[MARK_BYTES] = 0x80;
  const info = head.subarray(MARK_BYTES + BLOCK_HEADER_BYTES);
  info[13] = (info[13] ?? 0) & 0xf0;
  info.fill(0, 14);
  return concatBytes([head, ...packets.map(({ data }) => data)]);
}
