// Limits on the work of one verification, and on the sizes that a file may declare.

const KIB = 1024;
const MIB = 1024 * KIB;

export const LIMITS = {
  /** Objects up to this size are read whole and checked in memory. */
  wholeObject: 4 * MIB,
  imageBytes: 20 * MIB,
  videoBytes: 5 * 1024 * MIB,
  /** Range reads in addition to the one stream of the file; a Worker may make 10,000 subrequests. */
  reads: 8_000,
  readAmplification: 3,
  readSlack: 64 * MIB,
  cachedPages: 3,
  pageBytes: 64 * KIB,
  /** Buffer of the sequential reader, and the least bytes per read: reads of 4 KiB measured six times the CPU. */
  readerBufferBytes: 4 * MIB,
  readerChunkBytes: MIB,
  frameBytes: 32 * MIB,
  /** Largest sum of all frame sizes, as a multiple of the file size: tables may reference the same bytes repeatedly. */
  framesPerFile: 2,
  /** Fits the index of a five-hour recording at 60 fps; a larger one would exceed the memory of a Worker. */
  indexBytes: 32 * MIB,
  fragmentBytes: 8 * MIB,
  videoSamples: 2_000_000,
  fragmentSamples: 4_000_000,
  runSamples: 200_000,
  topLevelBoxes: 1_000,
  fragmentBoxes: 400_000,
  /** Elements of a WebM file other than blocks. */
  elements: 500_000,
  nestedBoxes: 100_000,
  boxDepth: 12,
  tracks: 64,
  videoSide: 16_384,
  imagePixels: 100_000_000,
  inflatedBytes: 512 * MIB,
  /** Images up to this size are decoded into pixels, larger ones only parsed: a megapixel takes about 15 MB. */
  decodedPixels: 4_200_000,
  /** Sums over all frames of an animation. */
  animationPixels: 400_000_000,
  animationDecoded: 40_000_000,
  /** Progressive scans, and coefficients visited by all of them. */
  jpegScans: 200,
  jpegWork: 1_000_000_000,
  /** Bytes at the beginning and the end that are searched for a second file. */
  polyglotHead: KIB,
  polyglotTail: 66 * KIB,
} as const;
