// Opens a stored video for reading its audio, within read budgets, so that a crafted index cannot cause endless reads.
import type { Input } from "mediabunny";
import type { MediaSource } from "../media/media-source.ts";
import { openDemuxer } from "../media/video/stream-info.ts";

export type ReadableSource = Pick<MediaSource, "size" | "read">;

const MIB = 1024 * 1024;
/** A Worker may make 10,000 subrequests. */
const MAX_READS = 6_000;
/** The largest index of a verified file, plus room for read-ahead. */
const MAX_READ_BYTES = 48 * MIB;
/** As a multiple of the file size: clips overlap by seconds, and the data between them is skipped. */
const READ_AMPLIFICATION = 2;
const READ_SLACK_BYTES = 128 * MIB;

export interface AudioInput {
  input: Input;
  /** The first error of storage itself, which is not the fault of the file. */
  getStorageFailure(): { error: unknown } | null;
}

export async function openAudioInput(source: ReadableSource): Promise<AudioInput> {
  const { read, getStorageFailure } = createBudgetedReader(source);
  const { size } = source;
  const table = await findSeekTable({ size, read });
  const readBlanked = async (offset: number, length: number) =>
    blankSeekTable(await read(offset, length), offset, table);
  return { input: openDemuxer({ size, read: readBlanked }, "network"), getStorageFailure };
}

function createBudgetedReader(source: ReadableSource) {
  let failure: { error: unknown } | null = null;
  let [reads, bytes] = [0, 0];

  async function read(offset: number, length: number): Promise<Uint8Array> {
    reads += 1;
    bytes += length;
    if (reads > MAX_READS || length > MAX_READ_BYTES || bytes > source.size * READ_AMPLIFICATION + READ_SLACK_BYTES) {
      throw new Error("The audio is stored in a way that requires too many reads.");
    }
    try {
      return await source.read(offset, length);
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  }
  return { read, getStorageFailure: () => failure };
}

/**
 * Byte offset of the name of the fragment seek table (mfra), found as the demuxer finds it. A crafted table makes the
 * demuxer seek endlessly, and the table is optional, so its name is overwritten in what the demuxer reads.
 */
async function findSeekTable({ size, read }: ReadableSource): Promise<number | null> {
  if (size < 16) return null;
  const last = await read(size - 4, 4);
  const start = size - new DataView(last.buffer, last.byteOffset, 4).getUint32(0);
  if (start < 0 || start + 8 > size) return null;
  const name = await read(start + 4, 4);
  return new TextDecoder("latin1").decode(name) === "mfra" ? start + 4 : null;
}

function blankSeekTable(bytes: Uint8Array, offset: number, name: number | null): Uint8Array {
  if (name === null || name < offset || name >= offset + bytes.length) return bytes;
  const copy = bytes.slice();
  copy[name - offset] = 0x2d;
  return copy;
}
