// A draft that was made by API, opened in the composer and saved: what the composer does not show, or does not change, stays.
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { buildMedia, type Media } from "../../functions/workspace/scripts/compose/media-body.ts";
import { buildOwnContent } from "../../functions/workspace/scripts/compose/own-body.ts";
import { buildPosts, type ComposedPost, toChange } from "../../functions/workspace/scripts/compose/posts.ts";
import { updateAccount } from "../posts/post-requests.ts";
import { createTestAccount, createTestTenant, type Tenant, type TestAccount } from "../support/harness.ts";
import { type Browser, signInMember } from "./dashboard.ts";

let tenant: Tenant;
let browser: Browser;
let bluesky: TestAccount;
let threads: TestAccount;
let instagram: TestAccount;
let tiktok: TestAccount;

beforeAll(async () => {
  tenant = await createTestTenant();
  browser = await signInMember(tenant, "editor");
  [bluesky, threads, instagram, tiktok] = [
    await createTestAccount(tenant, "bluesky"),
    await createTestAccount(tenant, "threads"),
    await createTestAccount(tenant, "instagram"),
    await createTestAccount(tenant, "tiktok"),
  ];
});

const PICTURES = [1, 2, 3].map((at) => `https://example.com/${at}.jpg`);
const VIDEO = "https://example.com/cut.mp4";
const HINTS = { duration_seconds: 20, bytes: 1_000_000, width: 1080, height: 1920, mime_type: "video/mp4" };

const prepare = async (body: object) => {
  const { status, body: answer } = await tenant.api.post("/posts/prepare", { caption: "Before", ...body });
  expect([status, answer.message]).toEqual([201, expect.any(String)]);
  return answer.data;
};
const find = async (id: string) => (await tenant.api.get(`/posts/${id}`)).body.data;

interface Opened {
  media: Media[];
  coverMs?: number | null;
  accounts?: { tiktok: string[]; others: string[] };
}

/** What the page saves after `change` of what it shows. */
async function compose(
  ids: string[],
  change: (shown: Opened) => Partial<Opened> = () => ({}),
): Promise<ComposedPost[]> {
  const query = ids.map((id) => `draft=${id}`).join("&");
  const { text } = await browser.visit(`/dashboard/${tenant.workspaceId}/compose?${query}`);
  const read = (name: string) =>
    JSON.parse(
      (text.match(new RegExp(`data-${name}="([^"]*)"`))?.[1] ?? "null")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&amp;", "&"),
    );
  const chosen = [...text.matchAll(/<input[^>]*name="account"[^>]*>/g)]
    .filter(([box]) => box.includes("checked"))
    .map(([box]) => box.match(/value="([^"]*)"/)?.[1] ?? "");
  const kept = read("kept");
  const all = {
    tiktok: chosen.filter((id) => id === tiktok.id),
    others: chosen.filter((id) => id !== tiktok.id),
  };
  const media: Media[] = read("media");
  const { coverMs = kept.media?.cover_timestamp_ms ?? null, ...changed } = change({ media, accounts: all });
  return buildPosts({
    caption: "After",
    media: buildMedia(changed.media ?? media, kept.media, coverMs),
    scheduledAt: undefined,
    accounts: {
      ...(changed.accounts ?? all),
      platforms: new Set(["bluesky", "threads", "instagram", "tiktok"]),
    },
    kept,
    extras: kept.fields.others,
    readSettings: (provider) => ({ ...read("settings")[provider] }),
    readTikTok: () => read("tiktok") ?? {},
    coverMs: null,
  });
}

async function save(id: string, change?: (shown: Opened) => Partial<Opened>) {
  const [post, ...more] = await compose([id], change);
  expect(more).toEqual([]);
  const { status, body } = await tenant.api.patch(`/posts/${id}`, toChange((post as ComposedPost).body));
  expect([status, body.message]).toEqual([200, "Post updated."]);
  return find(id);
}

/** Bodies whose fields the composer does not show, or shows and leaves. */
const KEPT: [name: string, body: () => object][] = [
  ["the caption of an account", () => ({ accounts: [{ id: bluesky.id, caption: "Own" }, { id: threads.id }] })],
  ["the media of an account", () => ({ accounts: [{ id: bluesky.id, media: video() }, { id: threads.id }] })],
  ["an account without media", () => ({ media: video(), accounts: [{ id: bluesky.id, media: null }] })],
  ["the first comment of an account", () => ({ accounts: [{ id: threads.id, first_comment: "Own" }] })],
  [
    "an account without the first comment",
    () => ({ first_comment: "All", accounts: [{ id: threads.id, first_comment: null }] }),
  ],
  ["the first comment", () => ({ accounts: [{ id: threads.id }], first_comment: "Below" })],
  [
    "the thread with its media",
    () => ({ accounts: [{ id: bluesky.id }], thread: [{ caption: "Two", media: video() }, { caption: "Three" }] }),
  ],
  [
    "the link",
    () => ({
      accounts: [{ id: bluesky.id }],
      link: { url: "https://example.com/", title: "Title", description: "Text" },
    }),
  ],
  ["the alternative text of a video", () => ({ accounts: [{ id: bluesky.id }], media: video({ alt_text: "A cat" }) })],
  ["the cover of a video", () => ({ accounts: [{ id: instagram.id }], media: video({ cover_url: PICTURES[0] }) })],
  ["the frame of a cover", () => ({ accounts: [{ id: instagram.id }], media: video({ cover_timestamp_ms: 1500 }) })],
  ["the facts of a video", () => ({ accounts: [{ id: bluesky.id }], media: video(HINTS) })],
  [
    "the alternative texts, cover and facts of images",
    () => ({
      accounts: [{ id: bluesky.id }],
      media: {
        ...{ type: "slideshow", urls: PICTURES, alt_texts: ["One", null, "Three"], cover_index: 2 },
        metadata: { bytes: 90_000, mime_type: "image/jpeg" },
      },
    }),
  ],
  ["a carousel with its alternative texts", () => ({ accounts: [{ id: instagram.id }], media: carousel() })],
  [
    "settings of a network that has no fields",
    () => ({ accounts: [{ id: bluesky.id }], settings: { bluesky: { languages: ["de"] } } }),
  ],
];

const video = (more: object = {}) => ({ type: "video", url: VIDEO, ...more });
const carousel = () => ({
  type: "carousel",
  items: [
    { type: "image", url: PICTURES[0], alt_text: "One" },
    { type: "video", url: VIDEO },
  ],
});

test.each(KEPT)("a save keeps %s", async (_, toBody) => {
  const draft = await prepare(toBody());
  const before = await find(draft.id);
  const after = await save(draft.id);
  const { updated_at: _then, schedule: _time, ...same } = before;
  expect(after).toMatchObject({ ...same, caption: "After" });
  expect(after.media).toEqual(before.media);
  expect(after.accounts.overrides).toEqual(before.accounts.overrides);
});

test("a save stores no new settings, and what is stored elsewhere is the whole post", async () => {
  const body = {
    accounts: [{ id: bluesky.id, caption: "Own" }],
    first_comment: null,
    thread: [{ caption: "Two", media: null }],
    link: null,
  };
  const draft = await prepare(body);
  const [post] = await compose([draft.id]);
  expect(post?.body).toEqual({
    ...{ caption: "After", media: null, accounts: body.accounts },
    ...{ thread: body.thread, link: null },
  });
});

test("without an account its content goes, and that of the others stays", async () => {
  const draft = await prepare({
    accounts: [
      { id: bluesky.id, caption: "Of Bluesky" },
      { id: threads.id, caption: "Of Threads" },
    ],
  });
  const after = await save(draft.id, () => ({ accounts: { tiktok: [], others: [threads.id] } }));
  expect(after.accounts).toMatchObject({
    total: 1,
    overrides: [{ account_id: threads.id, caption: "Of Threads" }],
  });
});

test("alternative texts and the cover move with their images, and go with them", async () => {
  const media = { type: "slideshow", urls: PICTURES, alt_texts: ["One", null, "Three"], cover_index: 2 };
  const draft = await prepare({ accounts: [{ id: bluesky.id }], media });
  const reversed = await save(draft.id, (shown) => ({ media: shown.media.toReversed() }));
  expect(reversed.media).toEqual({
    ...{ type: "slideshow", urls: PICTURES.toReversed() },
    ...{ alt_texts: ["Three", null, "One"], cover_index: 0 },
  });
  const fewer = await save(draft.id, (shown) => ({ media: shown.media.slice(1) }));
  expect(fewer.media).toEqual({ type: "slideshow", urls: [PICTURES[1], PICTURES[0]], alt_texts: [null, "One"] });
});

test("an alternative text is added, changed and emptied", async () => {
  const media = { type: "slideshow", urls: PICTURES, alt_texts: ["One", null, "Three"] };
  const draft = await prepare({ accounts: [{ id: bluesky.id }], media });
  const write = (...texts: string[]) =>
    save(draft.id, (shown) => ({ media: shown.media.map((one, at) => ({ ...one, alt: texts[at] ?? "" })) }));
  expect((await write("One", "Two", " ")).media.alt_texts).toEqual(["One", "Two", null]);
  expect((await write("", "", "")).media).toEqual({ type: "slideshow", urls: PICTURES });
});

test("another video has nothing of the one before", async () => {
  const media = video({ alt_text: "A cat", cover_url: PICTURES[0], ...HINTS });
  const draft = await prepare({ accounts: [{ id: bluesky.id }], media });
  const other = { name: "other.mp4", type: "video/mp4", url: "https://example.com/other.mp4" };
  expect((await save(draft.id, () => ({ media: [other] }))).media).toEqual({ type: "video", url: other.url });
});

test("what is left of a carousel is a video or an image", async () => {
  for (const [at, left] of [
    { type: "slideshow", urls: [PICTURES[0]], alt_texts: ["One"] },
    { type: "video", url: VIDEO },
  ].entries()) {
    const draft = await prepare({ accounts: [{ id: instagram.id }], media: carousel() });
    expect((await save(draft.id, (shown) => ({ media: shown.media.slice(at, at + 1) }))).media).toEqual(left);
  }
});

test("a draft for TikTok and others becomes two, each with what its accounts have", async () => {
  const draft = await prepare({
    media: video(HINTS),
    accounts: [
      { id: tiktok.id, caption: "Of TikTok" },
      { id: instagram.id, caption: "Of Instagram" },
    ],
    settings: { instagram: { share_to_feed: false } },
  });
  const posts = await compose([draft.id]);
  expect(posts.map(({ kind, body }) => [kind, body.accounts])).toEqual([
    ["tiktok", [{ id: tiktok.id, caption: "Of TikTok" }]],
    ["others", [{ id: instagram.id, caption: "Of Instagram" }]],
  ]);
  expect(posts[1]?.body.settings).toEqual({ instagram: { share_to_feed: false } });
});

test("TikTok's cover of photos moves with its image", async () => {
  const media = { type: "slideshow", urls: PICTURES };
  const draft = await prepare({ accounts: [{ id: tiktok.id }], media, tiktok: { photo_cover_index: 2 } });
  const cover = async (change?: (shown: Opened) => Partial<Opened>) =>
    (await compose([draft.id], change))[0]?.body.tiktok?.photo_cover_index;
  expect(await cover()).toBe(2);
  expect(await cover((shown) => ({ media: shown.media.toReversed() }))).toBe(0);
  expect(await cover((shown) => ({ media: shown.media.slice(0, 2) }))).toBeUndefined();
});

test.each([
  ["another caption", { caption: "Own" }, { caption: "Own" }],
  ["no other caption", { caption: " " }, {}],
  ["another first comment", { comment: "Own" }, { first_comment: "Own" }],
  ["no first comment", { comment: "Own", isSilent: true }, { first_comment: null }],
  ["no media", { media: null }, { media: null }],
])("an account has %s", (_, written, own) => {
  expect(buildOwnContent({ caption: "", comment: "", isSilent: false, media: undefined, ...written })).toEqual(own);
});

test("a paused account stays in its draft, which says so and is not published", async () => {
  const paused = await createTestAccount(tenant, "bluesky");
  const draft = await prepare({ accounts: [{ id: paused.id, caption: "Own" }, { id: threads.id }] });
  await updateAccount(paused.id, sql`status = 'paused'`);
  const page = await browser.visit(`/dashboard/${tenant.workspaceId}/compose?draft=${draft.id}`);
  expect(page.text.match(new RegExp(`<input[^>]*value="${paused.id}"[^>]*>`))?.[0]).toContain('data-inactive="paused"');
  const { accounts } = await save(draft.id);
  expect(accounts).toMatchObject({ total: 2, overrides: [{ account_id: paused.id, caption: "Own" }] });
  const [post] = await compose([draft.id]);
  const json = { posts: [post?.body] };
  const { text } = await browser.visit(`/dashboard/${tenant.workspaceId}/compose/check`, { json });
  expect(text).toContain(": paused. Nothing is published there");
  expect(text).not.toContain("data-ok");
  expect(await tenant.api.post(`/posts/${draft.id}/commit`, {})).toMatchObject({ status: 400 });
  const added = await prepare({ accounts: [{ id: threads.id }] });
  const body = { accounts: [{ id: paused.id }] };
  expect(await tenant.api.patch(`/posts/${added.id}`, body)).toMatchObject({
    status: 400,
    body: { error_code: "unknown_accounts" },
  });
});
