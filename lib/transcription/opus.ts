// The duration of an Opus packet, a silent packet, and the header of a stream that has none.
import type { AudioDecoderConfig } from "./encoded-audio.ts";

/** A frame of 20 ms of silence. */
export const SILENT_PACKET = Uint8Array.from([0xf8, 0xff, 0xfe]);
export const SILENT_PACKET_SECONDS = 0.02;

const SPEECH_MS = [10, 20, 40, 60];
const HYBRID_MS = [10, 20];
const MUSIC_MS = [2.5, 5, 10, 20];

export function getOpusSeconds(packet: Uint8Array): number {
  const head = packet[0] ?? 0;
  const config = head >> 3;
  const ms = config < 12 ? SPEECH_MS[config % 4] : config < 16 ? HYBRID_MS[config % 2] : MUSIC_MS[config % 4];
  const counts = [1, 2, 2, (packet[1] ?? 0) & 0x3f];
  return ((ms ?? 20) * (counts[head & 3] ?? 1)) / 1000;
}

/** Shorter descriptions are not an identification header: https://www.rfc-editor.org/rfc/rfc7845#section-5.1, read 2026-11-24 */
const HEADER_BYTES = 19;
const RATE_OFFSET = 12;

/** Ogg needs an identification header; a stream without one is of one or two channels. */
export function addOpusHeader(config: AudioDecoderConfig): AudioDecoderConfig {
  if ((config.description?.byteLength ?? 0) >= HEADER_BYTES) return config;
  const header = new Uint8Array(HEADER_BYTES);
  header.set(new TextEncoder().encode("OpusHead"));
  header.set([1, config.numberOfChannels], 8);
  new DataView(header.buffer).setUint32(RATE_OFFSET, config.sampleRate, true);
  return { ...config, description: header };
}
