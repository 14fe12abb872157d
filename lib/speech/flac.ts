// FLAC: frames behind the description of their stream, which no longer promises a length or a checksum of the whole.
import { concat } from "./bytes.ts";
import type { Coding, Packet } from "./packets.ts";

const [MARK_BYTES, BLOCK_HEADER_BYTES, STREAM_INFO_BYTES] = [4, 4, 34];

export function flacFile({ description }: Coding, packets: readonly Packet[]): Uint8Array<ArrayBuffer> {
  const head = description.slice(0, MARK_BYTES + BLOCK_HEADER_BYTES + STREAM_INFO_BYTES);
  // The one block that is kept is the last one.
  head[MARK_BYTES] = 0x80;
  const info = head.subarray(MARK_BYTES + BLOCK_HEADER_BYTES);
  info[13] = (info[13] ?? 0) & 0xf0;
  info.fill(0, 14);
  return concat([head, ...packets.map(({ data }) => data)]);
}
