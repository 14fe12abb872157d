// AV1: walks the open bitstream units (OBUs) of a packet. Their sizes must add up and one must contain a frame.
import { checkZeroRuns, damagedFrameError } from "./nal.ts";

const TYPES = [1, 2, 3, 4, 5, 6, 7, 8, 15];
const SEQUENCE_HEADER = 1;
const FRAME_TYPES = [3, 6, 7];
/** OBU types with coded pixels: a tile group, and a frame with its header. */
const CODED_TYPES = [4, 6];

/** The container formats require that every key frame comes with its sequence header. */
export function parseAv1Packet(packet: Uint8Array, zeros: number): { key: boolean } {
  let position = 0;
  let sequence = false;
  let frames = 0;
  while (position < packet.length) {
    const header = packet[position] ?? 0;
    const type = (header >> 3) & 15;
    if (header & 0x81 || !TYPES.includes(type)) throw damagedFrameError();
    position += header & 4 ? 2 : 1;
    if (type === SEQUENCE_HEADER) sequence = true;
    if (FRAME_TYPES.includes(type)) frames += 1;
    const size = header & 2 ? readLeb128(packet, position) : { end: position, value: packet.length - position };
    position = size.end + size.value;
    if (CODED_TYPES.includes(type)) checkZeroRuns(packet.subarray(size.end, position), zeros);
  }
  if (position !== packet.length || (frames === 0 && !sequence)) throw damagedFrameError();
  return { key: sequence && frames > 0 };
}

function readLeb128(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) throw damagedFrameError();
    value += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return { value, end: start + i + 1 };
  }
  throw damagedFrameError();
}
