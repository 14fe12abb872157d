// The readers get responses that the fake networks do not give.
import { expect, test } from "vitest";
import { readers } from "../../lib/analytics/readers/index.ts";
import type { ReadJob } from "../../lib/analytics/readers/reader-contract.ts";
import type { Platform } from "../../lib/shared/platforms.ts";

const DID = "did:plc:z72i7hdynmk6r22z27h6tvur";

function read(platform: Platform, respond: (url: URL) => { status?: number; body: unknown }) {
  const fetch = async (input: RequestInfo | URL) => {
    const { status = 200, body } = respond(new URL(String(input)));
    return Response.json(body, { status });
  };
  const connection = { externalId: platform === "bluesky" ? DID : "17841400", accessToken: "token", tokens: {} };
  const job = {
    fetch,
    fetchMedia: fetch,
    now: () => new Date(),
    network: { baseUrl: "https://network.test" },
    connection,
  };
  return readers[platform].read(
    { ...job, handle: "ann", own: true, listPublished: async () => [] } as unknown as ReadJob,
    null,
  );
}

const image = { thumb: "https://cdn.bsky.app/a.jpg", fullsize: "https://cdn.bsky.app/b.jpg", alt: "" };
const images = (count: number) => ({
  $type: "app.bsky.embed.images#view",
  images: Array.from({ length: count }, () => image),
});
const quote = (media: unknown) => ({ $type: "app.bsky.embed.recordWithMedia#view", record: {}, media });

test.each([
  ["pictures beside a quoted post", quote(images(2)), "carousel", image.thumb],
  ["a picture beside a quoted post", quote(images(1)), "image", image.thumb],
  [
    "a video beside a quoted post",
    quote({ $type: "app.bsky.embed.video#view", thumbnail: "https://v/t.jpg" }),
    "video",
    "https://v/t.jpg",
  ],
  ["a quoted post alone", { $type: "app.bsky.embed.record#view", record: {} }, "text", null],
])("bluesky: %s", async (_name, embed, kind, thumbnailUrl) => {
  const record = { text: "Hi", createdAt: "2026-11-20T10:00:00Z" };
  const post = { uri: `at://${DID}/app.bsky.feed.post/3k`, record, embed, indexedAt: "2026-11-20T10:00:01Z" };
  const { posts } = await read("bluesky", () => ({ body: { feed: [{ post }] } }));
  expect(posts).toMatchObject([{ kind, thumbnailUrl }]);
});

test.each([
  ["2090-01-01T00:00:00Z", "2026-11-20T10:00:00Z", "2026-11-20T10:00:00.000Z"],
  ["2014-05-01T00:00:00Z", "2026-11-20T10:00:00Z", "2014-05-01T00:00:00.000Z"],
  ["0001-01-01T00:00:00Z", "2026-11-20T10:00:00Z", "2026-11-20T10:00:00.000Z"],
  ["2026-11-20T10:00:00Z", undefined, "2026-11-20T10:00:00.000Z"],
])("bluesky: a post that claims %s and was seen at %s is of %s", async (createdAt, indexedAt, publishedAt) => {
  const post = { uri: `at://${DID}/app.bsky.feed.post/3k`, record: { text: "Hi", createdAt }, indexedAt };
  const { posts } = await read("bluesky", () => ({ body: { feed: [{ post }] } }));
  expect(posts.map((one) => one.publishedAt.toISOString())).toEqual([publishedAt]);
});

// https://github.com/xdevplatform/samples/issues/202, read 2026-11-29: the text of a long post is cut.
test.each([
  ["escaped", { text: "Fish &amp; chips &lt;3" }, "Fish & chips <3"],
  ["long", { text: "Cut\u2026", note_post: { text: "The whole of it &gt; 280" } }, "The whole of it > 280"],
  ["long, by the older name", { text: "Cut\u2026", note_tweet: { text: "The whole of it" } }, "The whole of it"],
  [
    "with a link",
    {
      text: "See https://t.co/a",
      entities: { urls: [{ url: "https://t.co/a", expanded_url: "https://example.com/" }] },
    },
    "See https://example.com/",
  ],
])("twitter: a text that is %s", async (_name, post, caption) => {
  const { posts } = await read("twitter", ({ searchParams }) => {
    const fields = searchParams.get("post.fields")?.split(",") ?? [];
    expect(fields).toEqual(expect.arrayContaining(["entities", "note_post"]));
    return { body: { data: [{ id: "1", created_at: "2026-11-20T10:00:00Z", ...post }] } };
  });
  expect(posts).toMatchObject([{ caption }]);
});

test.each([
  ["PT1M5S", 65],
  ["P1DT2H", 93_600],
  ["P0D", null],
  [undefined, null],
])("youtube: a video of %s has %s seconds", async (duration, durationSeconds) => {
  const video = { id: "v", snippet: { publishedAt: "2026-11-20T10:00:00Z" }, contentDetails: { duration } };
  const { posts } = await read("youtube", ({ pathname }) => {
    if (pathname.endsWith("/channels"))
      return { body: { items: [{ contentDetails: { relatedPlaylists: { uploads: "UU1" } } }] } };
    const items = pathname.endsWith("/videos") ? [video] : [{ contentDetails: { videoId: "v" } }];
    return { body: { items } };
  });
  expect(posts).toMatchObject([{ durationSeconds }]);
});

test("instagram: without the permission for insights the media are read, and what it lacks is named", async () => {
  const medium = { id: "1", media_type: "IMAGE", timestamp: "2026-11-20T10:00:00+0000", like_count: 3 };
  const denied = { error: { code: 10, message: "(#10) Application does not have permission for this action" } };
  const { posts, missing } = await read("instagram", ({ href }) =>
    href.includes("insights") ? { status: 400, body: denied } : { body: { data: [medium, { ...medium, id: "2" }] } },
  );
  expect(posts).toMatchObject([
    { platformPostId: "1", likes: 3, views: null },
    { platformPostId: "2", likes: 3, views: null },
  ]);
  const lacks = { coverage: "permission_missing", permission: "instagram_business_manage_insights" };
  expect(missing).toEqual({ views: lacks, shares: lacks, saves: lacks });
});
