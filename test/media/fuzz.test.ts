// Files of every kind damaged at random: no cut is missed, and what else is, ffmpeg's own decoders tell.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { afterAll, describe, expect, inject, test } from "vitest";
import { printTable } from "../bench/table.ts";
import { makeCorpus } from "./corpus.ts";
import { cutAt, DAMAGES, type Damage, generator } from "./damage.ts";
import { checkOf, fixture } from "./sources.ts";
import { complaints, tools } from "./tools.ts";

const SEED = 20_261_120;
const CUTS = 1000;
const AT_ONCE = 2;
/** How many damaged files of a kind ffmpeg judges. */
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
  ["turned.jpg", "image/jpeg"],
  ["lossy.webp", "image/webp"],
  ["lossless.webp", "image/webp"],
  ["two.gif", "image/gif"],
] as const;

describe(`no cut is missed, ${CUTS} of each file, seed ${SEED}`, () => {
  test.for(FIXTURES)("%s", async ([name, declared]) => {
    const bytes = fixture(name);
    const pick = generator(SEED);
    for (let i = 0; i < CUTS; i++) {
      const cut = cutAt(bytes, pick);
      expect(await checkOf(cut, declared), `cut to ${cut.length}`).not.toBe("accepted");
    }
  });
});

/** One of each kind that ffmpeg decodes. */
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

interface Tally {
  /** Refused, of those that ffmpeg complains about. */
  found: number;
  missed: Record<Damage, number>;
  /** Refused, where ffmpeg is content. */
  stricter: number;
  judged: number;
}

describe.skipIf(!tools)(`damage beside what ffmpeg finds, ${rounds} of each file, seed ${SEED}`, async () => {
  const folder = tools ? await mkdtemp(join(tmpdir(), "fuzz-")) : "";
  const corpus = tools ? await makeCorpus(tools, folder) : [];
  const tallies = new Map<string, Tally>();

  afterAll(async () => {
    await rm(folder, { recursive: true });
    process.stdout.write(`\n${printTable(tableOf(tallies))}\n`);
  });

  test.for(corpus.filter(({ name }) => JUDGED.includes(name)))("$name", async ({ name, contentType, bytes }) => {
    const pick = generator(SEED);
    const tally: Tally = { found: 0, missed: { flipped: 0, zeroed: 0, spliced: 0 }, stricter: 0, judged: 0 };
    tallies.set(name, tally);
    const kinds = Object.keys(DAMAGES) as Damage[];
    const damaged = Array.from({ length: rounds }, (_, i) => {
      const damage = kinds[i % kinds.length] ?? "flipped";
      return {
        damage,
        bytes: DAMAGES[damage](bytes, pick),
        path: join(folder, `damaged-${i % AT_ONCE}${extname(name)}`),
      };
    });
    for (let at = 0; at < damaged.length; at += AT_ONCE) {
      await Promise.all(damaged.slice(at, at + AT_ONCE).map((file) => judge(file, contentType, tally)));
    }
    expect(tally.judged).toBe(rounds);
    // Checksums leave nothing to chance.
    if (contentType === "image/png") expect(tally.missed).toEqual({ flipped: 0, zeroed: 0, spliced: 0 });
    // Bytes that are gone or come twice move all that follows, which an index or a chunk length tells.
    if (name !== "moov-first.mp4") expect(tally.missed.spliced / rounds).toBeLessThan(0.05);
  });
});

async function judge(
  { damage, bytes, path }: { damage: Damage; bytes: Uint8Array; path: string },
  contentType: string,
  tally: Tally,
): Promise<void> {
  const accepted = (await checkOf(bytes, contentType)) === "accepted";
  await writeFile(path, bytes);
  const bad = tools !== null && (await complaints(tools, path)) !== "";
  tally.judged += 1;
  if (bad && accepted) tally.missed[damage] += 1;
  else if (bad) tally.found += 1;
  else if (!accepted) tally.stricter += 1;
}

function tableOf(tallies: Map<string, Tally>) {
  const rows = [...tallies].map(([file, { found, missed, stricter, judged }]) => ({
    file,
    damaged: judged,
    "ffmpeg complains": found + missed.flipped + missed.zeroed + missed.spliced,
    "of these refused": found,
    "missed: flipped": missed.flipped,
    zeroed: missed.zeroed,
    spliced: missed.spliced,
    "refused, ffmpeg content": stricter,
  }));
  return { title: `Damaged files, seed ${SEED}`, rows, broken: [] };
}
