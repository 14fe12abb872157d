// Facts about files in words.
import type { FileRow } from "../../../lib/queries/files.ts";
import { MEDIA_TYPES } from "../../../lib/shared/media-types.ts";

/** A field for uploads offers these files; the endings are for browsers that do not know the types. */
export const ACCEPTED_FILES = [...MEDIA_TYPES, "video/3gpp", ".m4v", ".mov", ".qt", ".3gp", ".jfif"].join();

const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** `1.2 MB`, in steps of a thousand as file managers count. */
export function formatSize(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** step;
  return `${amount.toLocaleString("en-GB", { maximumFractionDigits: step > 0 && amount < 100 ? 1 : 0 })} ${UNITS[step]}`;
}

/** `0:06`, `1:02:03`. */
export function formatLength(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const tail = String(rest).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

const TYPE_WORDS: Record<string, string> = {
  "image/jpeg": "JPEG picture",
  "image/png": "PNG picture",
  "image/webp": "WebP picture",
  "image/gif": "GIF picture",
  "video/mp4": "MP4 video",
  "video/quicktime": "QuickTime video",
  "video/webm": "WebM video",
};

/** The names that people know codecs by; the registered names are in https://mp4ra.org/registered-types/codecs, read 2026-11-28. */
const CODEC_WORDS: Record<string, string> = {
  avc: "H.264",
  h264: "H.264",
  hevc: "H.265 (HEVC)",
  h265: "H.265 (HEVC)",
  av1: "AV1",
  vp8: "VP8",
  vp9: "VP9",
  prores: "ProRes",
  aac: "AAC",
  opus: "Opus",
  mp3: "MP3",
  vorbis: "Vorbis",
};

const nameCodec = (codec: unknown): string | null =>
  typeof codec === "string" && codec !== "" ? (CODEC_WORDS[codec.toLowerCase()] ?? codec) : null;

/** Name and value of each fact that is known. */
export function listFileFacts(file: FileRow): [string, string][] {
  const { videoCodec, audioCodec, fps } = file.details;
  const video = [
    nameCodec(videoCodec),
    typeof fps === "number" && fps > 0 ? `${Number(fps.toFixed(2))} pictures a second` : null,
  ].filter((fact) => fact !== null);
  const facts: [string, string | null][] = [
    ["Kind", TYPE_WORDS[file.contentType] ?? file.contentType],
    ["Size", formatSize(file.size)],
    ["Resolution", `${file.width} × ${file.height} pixels`],
    ["Length", file.durationMs === null ? null : formatLength(file.durationMs)],
    ["Picture", video.join(", ") || null],
    ["Sound", file.kind === "image" ? null : file.hasAudio ? (nameCodec(audioCodec) ?? "yes") : "none"],
    ["Made by", file.origin === "upload" ? null : "AI"],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as [string, string]]));
}
