// Names of video codecs that are not supported, for the message about them.

// The codes are those of sample descriptions:
// https://developer.apple.com/documentation/quicktime-file-format/video_sample_description and
// https://mp4ra.org/registered-types/sampleentries, read 2026-11-24.
const NAMES: Record<string, string> = {
  SVQ1: "Sorenson Video",
  SVQ3: "Sorenson Video 3",
  mp4v: "MPEG-4 Part 2 (DivX, Xvid)",
  h263: "H.263",
  s263: "H.263",
  cvid: "Cinepak",
  "rle ": "QuickTime Animation",
  rpza: "Apple Video",
  "smc ": "Apple Graphics",
  jpeg: "Motion JPEG",
  mjpa: "Motion JPEG",
  mjpb: "Motion JPEG",
  "png ": "PNG",
  m2v1: "MPEG-2",
  mp2v: "MPEG-2",
  AVdn: "DNxHD",
  AVdh: "DNxHR",
  CFHD: "CineForm",
  dvh1: "Dolby Vision",
  dvhe: "Dolby Vision",
  "dvc ": "DV",
  dvcp: "DV",
  vvc1: "VVC (H.266)",
};

/** Such as "Sorenson Video 3"; null for a code without a name here. */
export function nameCodec(code: unknown): string | null {
  return typeof code === "string" ? (NAMES[code] ?? null) : null;
}
