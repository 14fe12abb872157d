// The expected outcome of files that are not simply accepted and opened: expected.tsv holds their paths, our outcome, what the peer
// does, and the reason of a disagreement. Files that are not in it must be accepted and opened.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Judgement } from "./judge.ts";

export interface Expectation extends Judgement {
  reason: string;
}

const ACCEPTED: Expectation = { ours: "accepted", peer: "opens", reason: "" };

/** Reasons of a disagreement that hold for every file with this outcome; other rows state their own. */
const REASONS: Record<string, string> = {
  truncated: "incomplete: the peer opens the part that is there",
  unsupported_codec: "encrypted or of a codec that networks do not take: ffprobe reads its headers only",
  too_many_pixels: "more than 100 million pixels, our limit",
  type_mismatch: "its name has the ending of another type",
  no_video_track: "a cover picture or an empty track counts as video for ffprobe",
};

export function readExpectations(): Map<string, Expectation> {
  const lines = readFileSync(join(import.meta.dirname, "expected.tsv"), "utf8")
    .trim()
    .split("\n");
  return new Map(
    lines.map((line) => {
      const [path = "", ours = "", peer = "", reason = ""] = line.split("\t");
      return [path, { ours, peer: peer as Judgement["peer"], reason }];
    }),
  );
}

export function findExpectation(expectations: Map<string, Expectation>, path: string): Expectation {
  return expectations.get(path) ?? ACCEPTED;
}

/** A complaint agrees with both outcomes: it says that something is wrong, and not that the file cannot be used. */
export function isDisagreement({ ours, peer }: Judgement): boolean {
  return peer === (ours === "accepted" ? "rejects" : "opens");
}

/** Empty when a disagreement has no reason yet. */
export function explain({ ours, reason }: Expectation): string {
  return reason || (REASONS[ours] ?? "");
}
