// How much work one verification may cost, and how big the things inside a file may claim to be.

const KIB = 1024;
const MIB = 1024 * KIB;

export const LIMITS = {
  /** Objects up to this size are read once and checked in memory. */
  wholeObject: 4 * MIB,
  imageBytes: 20 * MIB,
  videoBytes: 5 * 1024 * MIB,
  /** Ranged reads beside the one pass over the file; a Worker may make 10,000 subrequests. */
  reads: 8_000,
  readAmplification: 3,
  readSlack: 64 * MIB,
  keptPages: 3,
  hopPage: 64 * KIB,
  /** What the pass holds at a time, and how much of it one read must bring; reads of 4 KiB cost six times the CPU. */
  tapeBytes: 4 * MIB,
  tapeRead: MIB,
  frameBytes: 32 * MIB,
  /** How much the frames of a file may add up to, in times its size: tables can name the same bytes again and again. */
  framesPerFile: 2,
  /** The index of a five-hour 60 fps recording fits; more would not fit the memory of a Worker. */
  indexBytes: 32 * MIB,
  fragmentBytes: 8 * MIB,
  videoSamples: 2_000_000,
  fragmentSamples: 4_000_000,
  runSamples: 200_000,
  topLevelBoxes: 1_000,
  fragmentBoxes: 400_000,
  /** Of a WebM file, besides blocks. */
  elements: 500_000,
  nestedBoxes: 100_000,
  boxDepth: 12,
  tracks: 64,
  videoSide: 16_384,
  imagePixels: 100_000_000,
  inflatedBytes: 512 * MIB,
  /** Up to here a picture is decoded into pixels, larger ones are walked: a megapixel takes some 15 MB. */
  decodedPixels: 4_200_000,
  /** Of all frames of an animation together. */
  animationPixels: 400_000_000,
  animationDecoded: 40_000_000,
  /** Progressive images tell each block again and again; this is how often in all. */
  jpegScans: 200,
  jpegWork: 1_000_000_000,
  /** Where a file may begin or end with another one. */
  polyglotHead: KIB,
  polyglotTail: 66 * KIB,
} as const;
