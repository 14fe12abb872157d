// The media suites of other projects, from the source packages of Debian bookworm.

export interface Suite {
  /** The Debian source package. */
  name: string;
  /** The upstream version that expected.tsv was written for. */
  version: string;
  what: string;
  /** Folders of its archive, as patterns of tar. */
  folders: string[];
  /** Fetched only with `--large`. */
  large?: boolean;
}

export const SUITES: Suite[] = [
  { name: "pillow", version: "9.4.0", what: "Pillow's tests", folders: ["*/Tests/images/*"] },
  { name: "libpng1.6", version: "1.6.39", what: "PngSuite and libpng's crashers", folders: ["*/contrib/*", "*/png*"] },
  { name: "libjpeg-turbo", version: "2.1.5", what: "libjpeg-turbo's test images", folders: ["*/testimages/*"] },
  { name: "gdk-pixbuf", version: "2.42.10+dfsg", what: "GIF test suite, damaged images", folders: ["*/tests/*"] },
  { name: "exiv2", version: "0.27.6", what: "images with unusual metadata", folders: ["*/test/data/*"] },
  { name: "golang-1.19", version: "1.19.8", what: "Go's image packages", folders: ["*/src/image/*"] },
  { name: "giflib", version: "5.2.1", what: "giflib's pictures", folders: ["*/pic/*"] },
  {
    name: "firefox-esr",
    version: "140.12.0esr",
    what: "Firefox's media tests and web-platform-tests",
    large: true,
    folders: [
      "*/dom/media/*",
      "*/image/test/*",
      ...["encrypted-media", "images", "media", "media-source", "png", "webcodecs"].map(
        (folder) => `*/testing/web-platform/tests/${folder}/*`,
      ),
    ],
  },
];

export const TYPES: Record<string, string> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
};
