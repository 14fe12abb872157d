// A stored video opened for its sound: ranged reads with budgets, so that a crafted index cannot keep us reading.
import type { Input } from "mediabunny";
import type { MediaSource } from "../media/source.ts";
import { demuxer } from "../media/streams.ts";

export type Readable = Pick<MediaSource, "size" | "read">;

const MIB = 1024 * 1024;
/** A Worker may make 10,000 subrequests. */
const READS_AT_MOST = 6_000;
/** The longest index that a verified file has, and room for what is read ahead. */
const READ_AT_MOST = 48 * MIB;
/** Parts of a file overlap by seconds, and what lies between them is skipped. */
const TIMES_THE_FILE = 2;
const SLACK = 128 * MIB;

export interface OpenInput {
  input: Input;
  /** An error of the storage itself, so that nobody takes it for damage. */
  failed(): { error: unknown } | null;
}

export async function openInput(source: Readable): Promise<OpenInput> {
  const { read, failed } = budgeted(source);
  const { size } = source;
  const table = await seekTable({ size, read });
  const blank = async (offset: number, length: number) => blanked(await read(offset, length), offset, table);
  return { input: demuxer({ size, read: blank }, "network"), failed };
}

function budgeted(source: Readable) {
  let failure: { error: unknown } | null = null;
  let [reads, bytes] = [0, 0];

  async function read(offset: number, length: number): Promise<Uint8Array> {
    reads += 1;
    bytes += length;
    if (reads > READS_AT_MOST || length > READ_AT_MOST || bytes > source.size * TIMES_THE_FILE + SLACK) {
      throw new Error("The sound is stored in a way that takes too much reading.");
    }
    try {
      return await source.read(offset, length);
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  }
  return { read, failed: () => failure };
}

/**
 * Where the name of the table for seeking in fragments stands, found as the demuxer finds it. A crafted one keeps it
 * seeking for ever, and it gets on without: so that name is blanked in what it reads.
 */
async function seekTable({ size, read }: Readable): Promise<number | null> {
  if (size < 16) return null;
  const last = await read(size - 4, 4);
  const start = size - new DataView(last.buffer, last.byteOffset, 4).getUint32(0);
  if (start < 0 || start + 8 > size) return null;
  const name = await read(start + 4, 4);
  return new TextDecoder("latin1").decode(name) === "mfra" ? start + 4 : null;
}

function blanked(bytes: Uint8Array, offset: number, name: number | null): Uint8Array {
  if (name === null || name < offset || name >= offset + bytes.length) return bytes;
  const copy = bytes.slice();
  copy[name - offset] = 0x2d;
  return copy;
}
