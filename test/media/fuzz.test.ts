// Randomly damaged files of every kind: every truncation is detected; other damage is compared with ffmpeg's decoders.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { afterAll, describe, expect, inject, test } from "vitest";
import { formatTable } from "../bench/format-table.ts";
import { createCorpus } from "./corpus.ts";
import { createRandom, DAMAGES, type DamageKind, truncateAtRandom } from "./damage.ts";
import { getFfmpegErrors, tools } from "./media-tools.ts";
import { findFailedCheck, readFixture } from "./sources.ts";

const SEED = 20_261_120;
const CUTS = 1000;
const AT_ONCE = 2;
/** Damaged files per kind that ffmpeg checks. */
const rounds = inject("fuzzRounds");

const FIXTURES = [
  ["faststart.mp4", "video/mp4"],
  ["fragmented.mp4", "video/mp4"],
  ["clip.mov", "video/quicktime"],
  ["hevc.mp4", "video/mp4"],
  ["vp8.webm", "video/webm"],
  ["vp9.webm", "video/webm"],
  ["av1.webm", "video/webm"],
  ["picture.png", "image/png"],
  ["interlaced.png", "image/png"],
  ["baseline.jpg", "image/jpeg"],
  ["progressive.jpg", "image/jpeg"],
  ["rotated.jpg", "image/jpeg"],
  ["lossy.webp", "image/webp"],
  ["lossless.webp", "image/webp"],
  ["two.gif", "image/gif"],
] as const;

describe(`truncated files, ${CUTS} of each, seed ${SEED}`, () => {
  test.for(FIXTURES)("%s", async ([name, declared]) => {
    const bytes = readFixture(name);
    const pick = createRandom(SEED);
    for (let i = 0; i < CUTS; i++) {
      const truncated = truncateAtRandom(bytes, pick);
      expect(await findFailedCheck(truncated, declared), `truncated to ${truncated.length}`).not.toBe("accepted");
    }
  });
});

/** One file of each kind that ffmpeg decodes. */
const JUDGED = [
  "moov-first.mp4",
  "fragmented.mp4",
  "hevc.mp4",
  "clip.mov",
  "vp8.webm",
  "vp9.webm",
  "av1.webm",
  "baseline.jpg",
  "progressive.jpg",
  "true-colour.png",
  "lossy.webp",
  "lossless.webp",
  "moving.gif",
];

/** The limits below are on damaged files that we accept; ffmpeg's verdict on the rejected ones is for the table alone. */
const COMPARES_REJECTED = rounds >= 1000;

interface Tally {
  /** Rejected by us and reported by ffmpeg. */
  found: number;
  missed: Record<DamageKind, number>;
  /** Rejected by us, but not reported by ffmpeg. */
  stricter: number;
  rejected: number;
  judged: number;
}

describe.skipIf(!tools)(`damaged files compared with ffmpeg, ${rounds} of each, seed ${SEED}`, async () => {
  const folder = tools ? await mkdtemp(join(tmpdir(), "fuzz-")) : "";
  const corpus = tools ? await createCorpus(tools, folder, JUDGED) : [];
  const tallies = new Map<string, Tally>();

  afterAll(async () => {
    await rm(folder, { recursive: true });
    process.stdout.write(`\n${formatTable(buildTable(tallies))}\n`);
  });

  test.for(corpus)("$name", async ({ name, contentType, bytes }) => {
    const pick = createRandom(SEED);
    const tally: Tally = {
      found: 0,
      missed: { flipped: 0, zeroed: 0, spliced: 0 },
      stricter: 0,
      rejected: 0,
      judged: 0,
    };
    tallies.set(name, tally);
    const kinds = Object.keys(DAMAGES) as DamageKind[];
    const damaged = Array.from({ length: rounds }, (_, i) => {
      const damage = kinds[i % kinds.length] ?? "flipped";
      return {
        damage,
        bytes: DAMAGES[damage](bytes, pick),
        path: join(folder, `damaged-${i % AT_ONCE}${extname(name)}`),
      };
    });
    for (let at = 0; at < damaged.length; at += AT_ONCE) {
      await Promise.all(damaged.slice(at, at + AT_ONCE).map((file) => judgeFile(file, contentType, tally)));
    }
    expect(tally.judged).toBe(rounds);
    // Checksums detect all damage.
    if (contentType === "image/png") expect(tally.missed).toEqual({ flipped: 0, zeroed: 0, spliced: 0 });
    // Removed or repeated bytes shift all following ones, which an index or a chunk length detects.
    if (name !== "moov-first.mp4") expect(tally.missed.spliced / rounds).toBeLessThan(0.05);
  });
});

async function judgeFile(
  { damage, bytes, path }: { damage: DamageKind; bytes: Uint8Array; path: string },
  contentType: string,
  tally: Tally,
): Promise<void> {
  const accepted = (await findFailedCheck(bytes, contentType)) === "accepted";
  tally.judged += 1;
  if (!accepted) tally.rejected += 1;
  if (!accepted && !COMPARES_REJECTED) return;
  await writeFile(path, bytes);
  const bad = tools !== null && (await getFfmpegErrors(tools, path)) !== "";
  if (bad && accepted) tally.missed[damage] += 1;
  else if (bad) tally.found += 1;
  else if (!accepted) tally.stricter += 1;
}

function buildTable(tallies: Map<string, Tally>) {
  const rows = [...tallies].map(([file, { found, missed, stricter, rejected, judged }]) => ({
    file,
    damaged: judged,
    rejected,
    ...(COMPARES_REJECTED ? { "of these, reported by ffmpeg": found, "not by ffmpeg": stricter } : {}),
    "missed: flipped": missed.flipped,
    zeroed: missed.zeroed,
    spliced: missed.spliced,
  }));
  return { title: `Damaged files, seed ${SEED}`, rows, broken: [] };
}
