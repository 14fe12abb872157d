// Our walk through the frames of a video beside mediabunny's walk through its packets: CPU time and bytes read.
import { type FileHandle, open, rm } from "node:fs/promises";
import { type EncodedPacket, EncodedPacketSink } from "mediabunny";
import { openBudgetedSource } from "../../lib/media/budgeted-source.ts";
import type { MediaSource } from "../../lib/media/media-source.ts";
import { openSequentialReader } from "../../lib/media/sequential-reader.ts";
import { createFrameMonitor } from "../../lib/media/video/check-frames.ts";
import { checkVideo } from "../../lib/media/video/check-video.ts";
import { createFrameChecker } from "../../lib/media/video/frame-checkers.ts";
import { readMovieIndex } from "../../lib/media/video/mp4-boxes.ts";
import { openDemuxer, readStreamInfo } from "../../lib/media/video/stream-info.ts";
import { findSegment } from "../../lib/media/video/webm.ts";
import { tools } from "../media/media-tools.ts";
import type { Section } from "./section.ts";
import { generateLargeVideo, generateSourceVideos, LARGE_VIDEOS, toByteStream } from "./verification.ts";

const GB = 1e9;
const SIZE = { short: GB / 20, long: GB };
const COMPARED = ["index-last.mp4", "fragmented.mp4", "vp8.webm"];
const ROUNDS = { short: 1, long: 3 };

interface FileSource extends MediaSource {
  bytesRead(): number;
}

/** Returns the number of video frames. */
type Walk = (source: FileSource, contentType: string) => Promise<number>;

/** Both hash the file and check every frame. */
const WALKS: Record<string, Walk> = {
  "our walk": async (source, contentType) => {
    const { facts } = await checkVideo(await openBudgetedSource(source, undefined), contentType);
    return facts.frames;
  },
  "mediabunny's": async (source, contentType) => {
    const { head } = contentType === "video/webm" ? await findSegment(source) : await readMovieIndex(source);
    const { video, audio, decoderConfig } = await readStreamInfo(head);
    const monitor = createFrameMonitor(video, audio, createFrameChecker(video, decoderConfig), source.size);
    await walkPackets(source, (track, packet) => monitor.visit(track, packet.data));
    await openSequentialReader(source, null).finish();
    return monitor.finish();
  },
};

const section: Section = {
  title: "Walking through videos",

  async run(context) {
    const title = "Our walk through a video beside mediabunny's walk through its packets";
    if (!tools) return [{ title, note: "Skipped: ffmpeg and ImageMagick are not installed.", rows: [], broken: [] }];
    const length = context.short ? "short" : "long";
    await generateSourceVideos(tools, context);
    const rows = [];
    const broken = [];
    for (const name of COMPARED) {
      const path = await generateLargeVideo(tools, context, name, SIZE[length]);
      const file = await open(path);
      const { size } = await file.stat();
      const seconds: Record<string, number[]> = {};
      const frames = new Set<number>();
      for (let round = 0; round < ROUNDS[length]; round++) {
        for (const [walk, run] of Object.entries(WALKS)) {
          const source = openFileSource(file, size);
          const before = process.cpuUsage();
          frames.add(await run(source, LARGE_VIDEOS[name]?.contentType ?? ""));
          const { user, system } = process.cpuUsage(before);
          seconds[walk] = [...(seconds[walk] ?? []), (user + system) / 1e6 / (size / GB)];
          if (round === 0)
            rows.push({
              file: name,
              MB: Math.round(size / 1e6),
              walk,
              "MB read": Math.round(source.bytesRead() / 1e6),
            });
        }
      }
      const [ours = 0, theirs = 0] = Object.keys(WALKS).map((walk) => Math.min(...(seconds[walk] ?? [0])));
      for (const [at, value] of [ours, theirs].entries()) {
        const row = rows.at(at - 2) as Record<string, string | number>;
        row["CPU s per GB, least"] = Number(value.toFixed(2));
        row["more than ours, %"] = Math.round((value / ours - 1) * 100);
      }
      if (frames.size > 1) broken.push(`the walks found ${[...frames].join(" and ")} frames in ${name}`);
      context.log(`${name}: ${ours.toFixed(2)} and ${theirs.toFixed(2)} s of CPU per GB`);
      await file.close();
      await rm(path);
    }
    const note =
      "In one process, alternating; both hash the file and check every frame. mediabunny's needs a second pass to hash.";
    return [{ title, note, rows, broken }];
  },
};

export default section;

function openFileSource(file: FileHandle, size: number): FileSource {
  let bytes = 0;
  return {
    size,
    async read(offset, length) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, offset);
      bytes += bytesRead;
      return buffer.subarray(0, bytesRead);
    },
    async stream() {
      bytes += size;
      return toByteStream(file);
    },
    bytesRead: () => bytes,
  };
}

/** Visits the packets of all tracks in the order of their times, so that the file is read once. */
async function walkPackets(source: MediaSource, visit: (track: number, packet: EncodedPacket) => void): Promise<void> {
  const input = openDemuxer(source, "network");
  const open = await Promise.all(
    (await input.getTracks()).map(async (track) => {
      const packets = new EncodedPacketSink(track).packets();
      return { id: track.id, packets, next: (await packets.next()).value ?? null };
    }),
  );
  for (;;) {
    const [first] = open
      .filter(({ next }) => next)
      .toSorted((a, b) => (a.next?.timestamp ?? 0) - (b.next?.timestamp ?? 0));
    if (!first?.next) return;
    visit(first.id, first.next);
    first.next = (await first.packets.next()).value ?? null;
  }
}
