// AV1: walks the open bitstream units of a packet; their sizes must add up and a frame must be among them.
import { checkBlanks, damagedFrame } from "./nal.ts";

const TYPES = [1, 2, 3, 4, 5, 6, 7, 8, 15];
const SEQUENCE = 1;
const FRAME_TYPES = [3, 6, 7];
/** Units with coded pictures: a tile group, and a frame with its header. */
const CODED_TYPES = [4, 6];

/** Key frames in files come with their sequence header, as the format demands. */
export function av1Packet(packet: Uint8Array, zeros: number): { key: boolean } {
  let position = 0;
  let sequence = false;
  let frames = 0;
  while (position < packet.length) {
    const header = packet[position] ?? 0;
    const type = (header >> 3) & 15;
    if (header & 0x81 || !TYPES.includes(type)) throw damagedFrame();
    position += header & 4 ? 2 : 1;
    if (type === SEQUENCE) sequence = true;
    if (FRAME_TYPES.includes(type)) frames += 1;
    const size = header & 2 ? leb128(packet, position) : { end: position, value: packet.length - position };
    position = size.end + size.value;
    if (CODED_TYPES.includes(type)) checkBlanks(packet.subarray(size.end, position), zeros);
  }
  if (position !== packet.length || (frames === 0 && !sequence)) throw damagedFrame();
  return { key: sequence && frames > 0 };
}

function leb128(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) throw damagedFrame();
    value += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return { value, end: start + i + 1 };
  }
  throw damagedFrame();
}
