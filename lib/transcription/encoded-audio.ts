// Types of encoded audio: packets, codec configuration, and audio files for speech-to-text.

/** Times in seconds from the start of the source file. */
export interface AudioPacket {
  data: Uint8Array;
  timestamp: number;
  duration: number;
}

export interface AudioConfig {
  codec: string;
  sampleRate: number;
  channels: number;
  /** The codec's configuration record, empty when it has none. */
  description: Uint8Array;
}

export interface AudioFile {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  filename: string;
}
