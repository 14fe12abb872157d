// Encoded sound as it lies in a file, and the file that a recogniser takes.

/** Times in seconds of the file that the packet is from. */
export interface Packet {
  data: Uint8Array;
  timestamp: number;
  duration: number;
}

export interface Coding {
  codec: string;
  sampleRate: number;
  channels: number;
  /** What a decoder has to be told before the first packet. */
  description: Uint8Array;
}

export interface SoundFile {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  filename: string;
}
