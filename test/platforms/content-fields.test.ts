// Networks x fields of a post's media: what each network receives, by its fake, and what it answers where it has no such
// field. The table in .github/NETWORKS.md is compared with the capabilities, so that it says what the drivers do.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { getCapabilities } from "../../lib/platforms/capabilities.ts";
import { drivers } from "../../lib/platforms/index.ts";
import type { Content, Media } from "../../lib/platforms/platform.ts";
import { findPostViolations, findPostWarnings } from "../../lib/platforms/post-violations.ts";
import type { Capabilities } from "../../lib/platforms/rules.ts";
import { PLATFORM_DETAILS, PLATFORMS, type Platform } from "../../lib/shared/platforms.ts";
import { DEFAULT_BOARD_ID } from "../../lib/simulator/networks/pinterest-boards.ts";
import { file } from "./content.ts";
import type { MediaHost } from "./media-host.ts";
import { publishToEnd } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const MEDIA = { "clip.mp4": 3_000, "a.jpg": 4_000, "b.jpg": 5_000, "cover.jpg": 6_000 };

/** What the network shows of a post, as far as this test asks. */
interface Shown {
  media: { alt_text?: string }[];
  settings: Record<string, unknown>;
}

interface Field {
  name: string;
  make(host: MediaHost): { media: Media; cover?: Content["cover"] };
  /** The code of a network that has no such field. */
  without: "alt_text_ignored" | "cover_ignored" | "content_kind_unsupported";
  has(capabilities: Capabilities, platform: Platform): boolean;
  /** What arrived; the names of networks differ. */
  read(item: Shown): unknown;
  expected(host: MediaHost, platform: Platform): unknown;
}

const clip = (host: MediaHost, altText?: string): Media => ({
  type: "video",
  video: file(host.url("clip.mp4"), { mimeType: "video/mp4", durationMs: 20_000, ...(altText ? { altText } : {}) }),
});
const pictures = (host: MediaHost, alts: (string | undefined)[]): Media => ({
  type: "slideshow",
  images: alts.map((altText, at) => file(host.url(at === 0 ? "a.jpg" : "b.jpg"), altText ? { altText } : {})),
});
/** Networks that take alternative texts of images take those of videos, too, or warn. */
const DESCRIBED_VIDEOS: readonly Platform[] = ["threads", "pinterest", "bluesky"];
/** The others fetch the image of a cover from its URL. */
const UPLOADED_COVERS: readonly Platform[] = ["youtube", "facebook", "linkedin"];
const isVideoOnly = (platform: Platform) => platform === "youtube";

const FIELDS: Field[] = [
  {
    name: "alt text of an image",
    make: (host) => ({ media: pictures(host, ["A harbour"]) }),
    without: "alt_text_ignored",
    has: ({ altText }) => altText !== undefined,
    read: ({ media }) => media.map(({ alt_text }) => alt_text),
    expected: () => ["A harbour"],
  },
  {
    name: "alt texts of two images",
    make: (host) => ({ media: pictures(host, ["A harbour", "Two boats"]) }),
    without: "alt_text_ignored",
    has: ({ altText }) => altText !== undefined,
    read: ({ media }) => media.map(({ alt_text }) => alt_text),
    // A pin has one.
    expected: (_host, platform) => ["A harbour", platform === "pinterest" ? undefined : "Two boats"],
  },
  {
    name: "alt text of a video",
    make: (host) => ({ media: clip(host, "Waves") }),
    without: "alt_text_ignored",
    has: ({ altText }, platform) => altText !== undefined && DESCRIBED_VIDEOS.includes(platform),
    read: ({ media }) => media.map(({ alt_text }) => alt_text),
    expected: () => ["Waves"],
  },
  {
    name: "cover by URL",
    make: (host) => ({ media: clip(host), cover: { image: file(host.url("cover.jpg")) } }),
    without: "cover_ignored",
    has: ({ cover }) => cover?.url === true,
    read: ({ settings }) => settings.cover_url ?? settings.cover ?? settings.thumbnail,
    expected: (host, platform) =>
      UPLOADED_COVERS.includes(platform) ? host.sha256("cover.jpg") : host.url("cover.jpg"),
  },
  {
    name: "cover by frame",
    make: (host) => ({ media: clip(host), cover: { timestampMs: 2_000 } }),
    without: "cover_ignored",
    has: ({ cover }) => cover?.timestamp === true,
    read: ({ settings }) => Number(settings.thumb_offset ?? settings.video_cover_timestamp_ms ?? settings.cover),
    expected: (_host, platform) => (platform === "pinterest" ? 2 : 2_000),
  },
  {
    name: "cover by index",
    make: (host) => ({ media: pictures(host, [undefined, undefined]), cover: { index: 1 } }),
    without: "cover_ignored",
    has: ({ cover }) => cover?.index === true,
    read: ({ settings }) => settings.photo_cover_index ?? settings.cover,
    expected: () => 1,
  },
  {
    name: "mixed carousel",
    make: (host) => ({
      media: {
        type: "carousel",
        items: [
          { kind: "image", ...file(host.url("a.jpg"), { altText: "A harbour" }) },
          { kind: "video", ...file(host.url("clip.mp4"), { durationMs: 20_000 }) },
          { kind: "image", ...file(host.url("b.jpg")) },
        ],
      },
    }),
    without: "content_kind_unsupported",
    has: ({ kinds }) => kinds.includes("mixed_carousel"),
    read: ({ media }) => media.map(({ alt_text }) => alt_text ?? null),
    expected: () => ["A harbour", null, null],
  },
];

const toContent = (field: Field, host: MediaHost, platform: Platform): Content => ({
  ...{ caption: "At sea", musicUrl: null, thread: null, firstComment: null, link: null },
  settings: platform === "pinterest" ? { board_id: DEFAULT_BOARD_ID } : {},
  cover: null,
  ...field.make(host),
});

const rows = new Map<Platform, string[]>();

describe.each(PLATFORMS)("%s", (platform) => {
  const driver = drivers[platform];
  const capabilities = getCapabilities(platform, "byo");
  const setup = useTestNetwork(driver, MEDIA);

  test.each(FIELDS)("$name", async (field) => {
    const content = toContent(field, setup.media, platform);
    const violations = findPostViolations(driver, content, capabilities, "the account");
    const warnings = findPostWarnings(driver, content, capabilities, "the account");
    const codes = [...violations, ...warnings].map(({ code }) => code);
    const tell = (text: string) => rows.set(platform, [...(rows.get(platform) ?? []), text]);
    const isPicture = content.media?.type === "slideshow";
    if (isVideoOnly(platform) && isPicture) {
      expect(codes).toContain("content_kind_unsupported");
      tell("no images");
      return;
    }
    if (field.has(capabilities, platform)) {
      await publishToEnd(driver, setup.job(content));
      const items = (setup.networks.published()[platform] ?? []) as unknown as Shown[];
      expect(items).toHaveLength(1);
      expect(field.read(items[0] as Shown)).toEqual(field.expected(setup.media, platform));
      expect(codes.filter((code) => code === field.without)).toHaveLength(
        platform === "pinterest" && field.name === "alt texts of two images" ? 1 : 0,
      );
      tell("sent");
      return;
    }
    expect(codes).toContain(field.without);
    if (violations.length === 0) {
      await publishToEnd(driver, setup.job(content));
      const items = (setup.networks.published()[platform] ?? []) as unknown as Shown[];
      expect(items[0]?.media.map(({ alt_text }) => alt_text).filter(Boolean)).toEqual([]);
    }
    tell(field.without);
  });
});

afterAll(() => {
  const lines = [...rows].map(([platform, cells]) => [platform, ...cells].map((cell) => cell.padEnd(24)).join(""));
  console.log([["", ...FIELDS.map(({ name }) => name)].map((cell) => cell.padEnd(24)).join(""), ...lines].join("\n"));
});

describe.each(["facebook", "linkedin"] as const)("a cover for %s", (platform) => {
  const driver = drivers[platform];
  const setup = useTestNetwork(driver, { ...MEDIA, "page.html": 900, "large.jpg": 10_000_001 });
  const { published } = setup;
  const withCover = (name: string) =>
    setup.job({
      ...{ caption: "At sea", musicUrl: null, settings: {}, media: clip(setup.media) },
      cover: { image: file(setup.media.url(name)) },
    });

  test.each(["gone.jpg", "page.html", "large.jpg"])(
    "%s is left out with a warning, and the video goes out",
    async (name) => {
      const { warnings } = await publishToEnd(driver, withCover(name));
      expect(warnings).toMatchObject([{ code: "cover_not_set", message: expect.stringContaining("media.cover_url") }]);
      expect(published()).toHaveLength(1);
      expect(published()[0]?.settings.cover).toBeUndefined();
    },
  );

  test("more bytes than the network takes are a warning before", () => {
    const capabilities = getCapabilities(platform, "byo");
    const job = withCover("cover.jpg");
    const cover = { image: file(setup.media.url("cover.jpg"), { bytes: 10_000_001 }) };
    const found = findPostWarnings(driver, { ...job.content, cover }, capabilities, "the account");
    expect(found.map(({ path, code }) => `${path} ${code}`)).toEqual(["media.cover_url cover_ignored"]);
  });
});

test("the table in .github/NETWORKS.md is that of the capabilities", () => {
  const toRow = (platform: Platform): string => {
    const { altText, cover, carousels, options, settingsSchema } = getCapabilities(platform, "byo");
    const { firstComment } = drivers[platform].capabilities;
    const covers = [cover?.url && "URL", cover?.timestamp && "frame", cover?.index && "image"].filter(Boolean);
    const settings = settingsSchema.properties as Record<string, { enum?: string[]; maxLength?: number } | undefined>;
    const cells = [
      PLATFORM_DETAILS[platform].name,
      altText ? `${altText.limit}` : "`alt_text_ignored`",
      firstComment ? `${firstComment.limit}` : "`first_comment_unsupported`",
      covers.length > 0 ? covers.join(", ") : "`cover_ignored`",
      carousels ? `2 to ${carousels.max}` : "`content_kind_unsupported`",
      options ? options.map((kind) => `\`${kind}\``).join(", ") : "none",
      settings.post_type?.enum?.join(", ") ?? "none",
      settings.title?.maxLength ?? "none",
    ];
    return `| ${cells.join(" | ")} |`;
  };
  const table = PLATFORMS.map(toRow).join("\n");
  expect(readFileSync(join(import.meta.dirname, "../../.github/NETWORKS.md"), "utf8")).toContain(table);
});
