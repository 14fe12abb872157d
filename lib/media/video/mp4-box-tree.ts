// Parses nested MP4 boxes, with limits on their number, their depth and the parent of each table.
import { LIMITS } from "../limits.ts";
import { verificationError } from "../verification-error.ts";

/** A box in memory; `view` covers only its content. */
export interface BoxNode {
  name: string;
  view: DataView;
  children: BoxNode[];
}

/** Every box whose content the demuxer parses as boxes, so that it reads nothing that was not checked here. */
const CONTAINERS = ["trak", "mdia", "minf", "dinf", "stbl", "edts", "mvex", "traf", "mfra", "sinf", "schi"];

/** The only parent each box may have ("" is the root): a table in a second place would bypass the checks. */
const REQUIRED_PARENT: Record<string, string> = {
  trak: "",
  traf: "",
  mdia: "trak",
  minf: "mdia",
  stbl: "minf",
  stsd: "stbl",
  stts: "stbl",
  ctts: "stbl",
  stsz: "stbl",
  stz2: "stbl",
  stsc: "stbl",
  stco: "stbl",
  co64: "stbl",
  stss: "stbl",
  trun: "traf",
  tfra: "none",
};
const REPEATABLE = ["trak", "traf", "trun"];

export function parseBoxTree(content: Uint8Array): BoxNode[] {
  const budget = { boxes: LIMITS.nestedBoxes };
  return parseBoxes(new DataView(content.buffer, content.byteOffset, content.byteLength), "", 0, budget);
}

function parseBoxes(view: DataView, parent: string, depth: number, budget: { boxes: number }): BoxNode[] {
  if (depth > LIMITS.boxDepth) throw verificationError("too_complex", "The index of the video is nested too deeply.");
  const found: BoxNode[] = [];
  let position = 0;
  while (position + 8 <= view.byteLength) {
    budget.boxes -= 1;
    if (budget.boxes < 0) throw verificationError("too_complex", "The index of the video has too many parts.");
    const size = view.getUint32(position);
    // QuickTime terminates some lists with zeros instead of a box.
    if (size === 0 && isAllZeros(view, position)) break;
    if (size < 8 || position + size > view.byteLength) throw damagedIndexError();
    const name = readBoxName(view, position + 4);
    if ((REQUIRED_PARENT[name] ?? parent) !== parent) throw damagedIndexError();
    if (REQUIRED_PARENT[name] !== undefined && !REPEATABLE.includes(name) && found.some((node) => node.name === name)) {
      throw damagedIndexError();
    }
    const content = new DataView(view.buffer, view.byteOffset + position + 8, size - 8);
    if (name === "stsd") checkSampleDescriptions(content);
    const inner = CONTAINERS.includes(name) ? parseBoxes(content, name, depth + 1, budget) : [];
    found.push({ name, view: content, children: inner });
    position += size;
  }
  return found;
}

/** Each sample description nests boxes differently. They are small, so the bytes are searched for table names. */
function checkSampleDescriptions(view: DataView): void {
  const text = String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset, Math.min(view.byteLength, 65_536)));
  if (view.byteLength > 65_536 || Object.keys(REQUIRED_PARENT).some((name) => text.includes(name)))
    throw damagedIndexError();
}

export function damagedIndexError(): Error {
  return verificationError("malformed", "The index of the video is damaged.");
}

export function indexPastEndError(): Error {
  return verificationError("truncated", "The video is incomplete: its index points past the end of the file.");
}

export function findChild(node: BoxNode | undefined, ...path: string[]): BoxNode | undefined {
  return path.reduce<BoxNode | undefined>((at, name) => at?.children.find((next) => next.name === name), node);
}

export function readBoxName(view: DataView, offset: number): string {
  return String.fromCharCode(
    view.getUint8(offset),
    view.getUint8(offset + 1),
    view.getUint8(offset + 2),
    view.getUint8(offset + 3),
  );
}

function isAllZeros(view: DataView, from: number): boolean {
  for (let i = from; i < view.byteLength; i++) if (view.getUint8(i) !== 0) return false;
  return true;
}
