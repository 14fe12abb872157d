// The captions of a project as files for players and networks. WebVTT is https://www.w3.org/TR/webvtt1/, read 2026-11-28; SubRip
// has no standard, and this is what players agree on: http://www.matroska.org/technical/specs/subtitles/srt.html, read 2026-11-28.
import { cleanText } from "../shared/post-text.ts";
import type { ProjectTextClip } from "../shared/project-document.ts";

export const CAPTION_FORMATS = ["srt", "vtt"] as const;
export type CaptionFormat = (typeof CAPTION_FORMATS)[number];

export const CAPTION_TYPES: Record<CaptionFormat, string> = {
  srt: "application/x-subrip; charset=utf-8",
  vtt: "text/vtt; charset=utf-8",
};

export function buildCaptionFile(texts: readonly ProjectTextClip[], format: CaptionFormat): string {
  const cues = texts
    .filter(({ role }) => role === "caption")
    .sort((a, b) => a.start_ms - b.start_ms)
    .map(({ text, start_ms, end_ms }) => ({ lines: listLines(text), start_ms, end_ms }))
    .filter(({ lines }) => lines.length > 0);
  return format === "srt" ? buildSubRip(cues) : buildWebVtt(cues);
}

interface Cue {
  /** At least one: players take a cue without text and the next one for one. */
  lines: string[];
  start_ms: number;
  end_ms: number;
}

/** A cue is its number, its times with a comma, and its lines; a blank line ends it. */
function buildSubRip(cues: Cue[]): string {
  const blocks = cues.map(({ lines, start_ms, end_ms }, at) => {
    const times = `${formatCueTime(start_ms, ",")} --> ${formatCueTime(end_ms, ",")}`;
    return [String(at + 1), times, ...lines].join("\r\n");
  });
  return blocks.map((block) => `${block}\r\n`).join("\r\n");
}

/** `&`, `<` and `>` are escaped, so that no text is markup or the arrow of another cue (https://www.w3.org/TR/webvtt1/#webvtt-cue-text-span). */
function buildWebVtt(cues: Cue[]): string {
  const blocks = cues.map(({ lines, start_ms, end_ms }) => {
    const escaped = lines.map((line) => line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"));
    return [`${formatCueTime(start_ms, ".")} --> ${formatCueTime(end_ms, ".")}`, ...escaped].join("\n");
  });
  return ["WEBVTT", ...blocks].map((block) => `${block}\n`).join("\n");
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const RIGHT_TO_LEFT_MARK = "\u200f";

/**
 * A blank line would end the cue. Players take the direction of a line from its first letter, which may be that of a foreign
 * name: https://www.w3.org/TR/webvtt1/#applying-css-properties-to-webvtt-node-objects, read 2026-11-30.
 */
function listLines(text: string): string[] {
  const letters = text.match(/\p{L}/gu) ?? [];
  const isRightToLeft = letters.filter((letter) => RIGHT_TO_LEFT.test(letter)).length * 2 > letters.length;
  const lines = cleanText(text)
    .split("\n")
    .map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) =>
      isRightToLeft && !RIGHT_TO_LEFT.test(/\p{L}/u.exec(line)?.[0] ?? "") ? RIGHT_TO_LEFT_MARK + line : line,
    );
}

/** `00:01:02,345` */
function formatCueTime(ms: number, separator: "," | "."): string {
  const pad = (value: number, digits = 2) => String(Math.floor(value)).padStart(digits, "0");
  return `${pad(ms / 3_600_000)}:${pad((ms / 60_000) % 60)}:${pad((ms / 1000) % 60)}${separator}${pad(ms % 1000, 3)}`;
}
