// Checks one movie fragment (moof): its runs fit their boxes and their samples lie inside the file.
import { boxTree, child, damagedIndex, type Node } from "./box-tree.ts";
import { LIMITS } from "./limits.ts";
import { pastTheEnd } from "./movie.ts";
import { refuse } from "./refusal.ts";

export interface RunDefaults {
  /** Default sample size by track id, from the index. */
  sizes: Map<number, number>;
  /** Samples of all fragments so far. */
  samples: number;
}

export function checkFragment(content: Uint8Array, start: number, fileSize: number, defaults: RunDefaults): void {
  let implicit = start;
  for (const node of boxTree(content)) if (node.name === "traf") implicit = checkTraf(node, start, implicit);

  function checkTraf(traf: Node, moofStart: number, previousEnd: number): number {
    const header = child(traf, "tfhd")?.view;
    if (!header || header.byteLength < 8) throw damagedIndex();
    const flags = header.getUint32(0) & 0xffffff;
    const base = flags & 1 ? Number(header.getBigUint64(8)) : flags & 0x20000 ? moofStart : previousEnd;
    const sizeAt = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0) + (flags & 8 ? 4 : 0);
    const size = flags & 16 ? header.getUint32(sizeAt) : (defaults.sizes.get(header.getUint32(4)) ?? 0);
    let position = base;
    for (const run of traf.children) {
      if (run.name !== "trun") continue;
      position = checkRun(run.view, base, position, size, defaults);
      if (position > fileSize) throw pastTheEnd();
    }
    return position;
  }
}

/** Answers where the data of the run ends. */
function checkRun(run: DataView, base: number, previous: number, size: number, defaults: RunDefaults): number {
  const flags = run.getUint32(0) & 0xffffff;
  const count = run.getUint32(4);
  const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length;
  const first = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
  if (first + count * fields * 4 > run.byteLength) throw damagedIndex();
  defaults.samples += count;
  if (count > LIMITS.runSamples || defaults.samples > LIMITS.fragmentSamples) {
    throw refuse("too_complex", "The video lists more frames than can be checked.");
  }
  let end = flags & 1 ? base + run.getInt32(8) : previous;
  if (!(flags & 0x200)) return end + count * size;
  const sizeAt = first + (flags & 0x100 ? 4 : 0);
  for (let i = 0; i < count; i++) end += run.getUint32(sizeAt + i * fields * 4);
  return end;
}
