// The captions of a project as files for players and networks. WebVTT is https://www.w3.org/TR/webvtt1/, read 2026-11-28; SubRip
// has no standard, and this is what players agree on: http://www.matroska.org/technical/specs/subtitles/srt.html, read 2026-11-28.
import type { ProjectTextClip } from "../shared/project-document.ts";

export const CAPTION_FORMATS = ["srt", "vtt"] as const;
export type CaptionFormat = (typeof CAPTION_FORMATS)[number];

export const CAPTION_TYPES: Record<CaptionFormat, string> = {
  srt: "application/x-subrip; charset=utf-8",
  vtt: "text/vtt; charset=utf-8",
};

export function buildCaptionFile(texts: readonly ProjectTextClip[], format: CaptionFormat): string {
  const captions = texts.filter(({ role }) => role === "caption").sort((a, b) => a.start_ms - b.start_ms);
  return format === "srt" ? buildSubRip(captions) : buildWebVtt(captions);
}

/** A cue is its number, its times with a comma, and its lines; a blank line ends it. */
function buildSubRip(captions: ProjectTextClip[]): string {
  const cues = captions.map(({ text, start_ms, end_ms }, at) => {
    const times = `${formatCueTime(start_ms, ",")} --> ${formatCueTime(end_ms, ",")}`;
    return [String(at + 1), times, ...listLines(text)].join("\r\n");
  });
  return cues.map((cue) => `${cue}\r\n`).join("\r\n");
}

/** `&`, `<` and `>` are escaped, so that no text is markup or the arrow of another cue (https://www.w3.org/TR/webvtt1/#webvtt-cue-text-span). */
function buildWebVtt(captions: ProjectTextClip[]): string {
  const cues = captions.map(({ text, start_ms, end_ms }) => {
    const lines = listLines(text).map((line) =>
      line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    );
    return [`${formatCueTime(start_ms, ".")} --> ${formatCueTime(end_ms, ".")}`, ...lines].join("\n");
  });
  return ["WEBVTT", ...cues].map((block) => `${block}\n`).join("\n");
}

/** A blank line would end the cue. */
function listLines(text: string): string[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.trim());
  return lines.filter((line) => line !== "");
}

/** `00:01:02,345` */
function formatCueTime(ms: number, separator: "," | "."): string {
  const pad = (value: number, digits = 2) => String(Math.floor(value)).padStart(digits, "0");
  return `${pad(ms / 3_600_000)}:${pad((ms / 60_000) % 60)}:${pad((ms / 1000) % 60)}${separator}${pad(ms % 1000, 3)}`;
}
