// How much work one verification may cost, and how big the things inside a file may claim to be.

const KIB = 1024;
const MIB = 1024 * KIB;

export const LIMITS = {
  /** Objects up to this size are read once and checked in memory. */
  wholeObject: 4 * MIB,
  imageBytes: 20 * MIB,
  videoBytes: 5 * 1024 * MIB,
  /** A Worker may make 10,000 subrequests; the hash and the caller need some of them. */
  reads: 8_000,
  readAmplification: 3,
  readSlack: 64 * MIB,
  keptPages: 3,
  hopPage: 64 * KIB,
  walkPage: 4 * MIB,
  /** Up to here every sample is looked at; above, key frames spread evenly over the video. */
  fullWalkBytes: 1024 * MIB,
  spreadSamples: 32,
  /** The index of a five-hour 60 fps recording fits; more would not fit the memory of a Worker. */
  indexBytes: 32 * MIB,
  videoSamples: 2_000_000,
  fragmentSamples: 4_000_000,
  /** The demuxer adds up the sizes of a chunk again for each sample in it, so large chunks cost their square. */
  chunkWork: 1_000_000_000,
  runSamples: 200_000,
  topLevelBoxes: 20_000,
  nestedBoxes: 100_000,
  boxDepth: 12,
  tracks: 64,
  videoSide: 16_384,
  imagePixels: 100_000_000,
  inflatedBytes: 512 * MIB,
  gifPixels: 400_000_000,
} as const;
