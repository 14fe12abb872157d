// Walks boxes inside boxes, with bounds on their number and depth and on where a table may stand.
import { LIMITS } from "./limits.ts";
import { refuse } from "./refusal.ts";

/** A box inside a piece of memory; `view` covers its content alone. */
export interface Node {
  name: string;
  view: DataView;
  children: Node[];
}

/** Every box whose content the demuxer reads as boxes, so that nothing is seen there that was not checked here. */
const CONTAINERS = ["trak", "mdia", "minf", "dinf", "stbl", "edts", "mvex", "traf", "mfra", "sinf", "schi"];

/** The one parent a box may have ("" is the root), because a table in a second place would escape the checks. */
const PARENT: Record<string, string> = {
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
const REPEATED = ["trak", "traf", "trun"];

export function boxTree(content: Uint8Array): Node[] {
  const budget = { boxes: LIMITS.nestedBoxes };
  return nodes(new DataView(content.buffer, content.byteOffset, content.byteLength), "", 0, budget);
}

function nodes(view: DataView, parent: string, depth: number, budget: { boxes: number }): Node[] {
  if (depth > LIMITS.boxDepth) throw refuse("too_complex", "The index of the video is nested too deeply.");
  const found: Node[] = [];
  let position = 0;
  while (position + 8 <= view.byteLength) {
    budget.boxes -= 1;
    if (budget.boxes < 0) throw refuse("too_complex", "The index of the video has too many parts.");
    const size = view.getUint32(position);
    // QuickTime ends some lists with a zero instead of a box.
    if (size === 0 && onlyZeros(view, position)) break;
    if (size < 8 || position + size > view.byteLength) throw damagedIndex();
    const name = nameAt(view, position + 4);
    if ((PARENT[name] ?? parent) !== parent) throw damagedIndex();
    if (PARENT[name] !== undefined && !REPEATED.includes(name) && found.some((node) => node.name === name)) {
      throw damagedIndex();
    }
    const content = new DataView(view.buffer, view.byteOffset + position + 8, size - 8);
    if (name === "stsd") checkDescriptions(content);
    const inner = CONTAINERS.includes(name) ? nodes(content, name, depth + 1, budget) : [];
    found.push({ name, view: content, children: inner });
    position += size;
  }
  return found;
}

/** Sample descriptions nest boxes in ways of their own; they are small, so table names are looked for byte by byte. */
function checkDescriptions(view: DataView): void {
  const text = String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset, Math.min(view.byteLength, 65_536)));
  if (view.byteLength > 65_536 || Object.keys(PARENT).some((name) => text.includes(name))) throw damagedIndex();
}

export function damagedIndex(): Error {
  return refuse("malformed", "The index of the video is damaged.");
}

export function pastTheEnd(): Error {
  return refuse("truncated", "The video is incomplete: its index points past the end of the file.");
}

export function child(node: Node | undefined, ...path: string[]): Node | undefined {
  return path.reduce<Node | undefined>((at, name) => at?.children.find((next) => next.name === name), node);
}

export function nameAt(view: DataView, offset: number): string {
  return String.fromCharCode(
    view.getUint8(offset),
    view.getUint8(offset + 1),
    view.getUint8(offset + 2),
    view.getUint8(offset + 3),
  );
}

function onlyZeros(view: DataView, from: number): boolean {
  for (let i = from; i < view.byteLength; i++) if (view.getUint8(i) !== 0) return false;
  return true;
}
