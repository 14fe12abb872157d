// Types of encoded audio: packets, codec configuration, and audio files for speech-to-text.
import type { AudioCodec, InputAudioTrack } from "mediabunny";

export type AudioDecoderConfig = NonNullable<Awaited<ReturnType<InputAudioTrack["getDecoderConfig"]>>>;

/** Times in seconds from the start of the source file. */
export interface AudioPacket {
  data: Uint8Array;
  timestamp: number;
  duration: number;
}

export interface AudioConfig {
  codec: AudioCodec;
  decoder: AudioDecoderConfig;
}

export interface AudioFile {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  filename: string;
}
