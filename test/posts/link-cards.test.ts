// Cards of links: read for the check, sent to networks that make none by themselves, and left out when they cannot be made.
import { sql } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import {
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  queryRows,
  readPublished,
  type TestAccount,
} from "../support/harness.ts";

const pages = inject("pages");
const at = (path: string) => `${pages}${path}`;

const tenant = await createTestTenant();
const { api } = tenant;
const open = (platform: "linkedin" | "bluesky" | "facebook" | "threads" | "twitter") =>
  createTestAccount(tenant, platform);

interface Published {
  settings: { embed?: { $type: string; external: Record<string, unknown> }; card?: Record<string, unknown> };
  media: { bytes: number; type: string }[];
}

const listCodes = ({ body }: { body: { data: { warnings: { code: string }[] } } }) =>
  body.data.warnings.map(({ code }) => code).filter((code) => code.startsWith("link"));

/** Creates the post, publishes it, and returns what arrived. */
async function publish(account: TestAccount, body: object) {
  const post = await api.post("/posts", { accounts: [{ id: account.id }], ...body });
  expect([post.status, post.body.error_code]).toEqual([201, undefined]);
  const id: string = post.body.data.id;
  const deliveryIds = api.enqueuedDeliveries.at(-1)?.deliveryIds ?? [];
  const { services, advance } = createTestPublisher(new Date());
  for (let turn = 0; turn < 10; turn++) {
    await publishDue(services, deliveryIds);
    const [row] = await queryRows<{ next: string | null }>(
      sql`select min(next_attempt_at) as next from post_deliveries where post_id = ${id}`,
    );
    if (!row?.next) break;
    advance(Math.max(1_000, new Date(row.next).getTime() - services.clock().getTime()));
    // The fakes process media in real time.
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  const { data } = (await api.get(`/posts/${id}`)).body;
  const [item] = (await readPublished(account)) as unknown as Published[];
  return { post, state: data.accounts.states[0], item };
}

test("bluesky: the last link of the caption becomes a card, with its picture", async () => {
  const { post, state, item } = await publish(await open("bluesky"), { caption: `Read ${at("/plain")}` });
  expect(listCodes(post)).toEqual([]);
  expect(state).toMatchObject({ status: "posted", warnings: [] });
  expect(item?.settings.embed).toMatchObject({
    $type: "app.bsky.embed.external",
    external: {
      uri: at("/plain"),
      title: "North Light — the harbour",
      description: "Café & harbour, photographed at dawn.",
      thumb: { $type: "blob", mimeType: "image/png" },
    },
  });
});

test("linkedin: the card is an article with its uploaded picture", async () => {
  const { state, item } = await publish(await open("linkedin"), { caption: "Words", link: { url: at("/redirect") } });
  expect(state).toMatchObject({ status: "posted", warnings: [] });
  expect(item?.settings.card).toEqual({
    source: at("/redirect"),
    title: "North Light — the harbour",
    description: "Café & harbour, photographed at dawn.",
    thumbnail: expect.stringMatching(/^urn:li:image:/),
  });
  expect(item?.media).toHaveLength(1);
});

test("a given title, description and picture go before the page's own, and with all three no page is read", async () => {
  const link = { url: at("/error"), title: "Own title", description: "Own words", image_url: at("/picture.png") };
  const { post, item } = await publish(await open("bluesky"), { caption: "Words", link });
  expect(listCodes(post)).toEqual([]);
  expect(item?.settings.embed?.external).toMatchObject({ title: "Own title", description: "Own words" });
  expect(item?.media).toHaveLength(1);
});

test.each(["/large-picture", "/missing-picture"])(
  "%s: a card is shown without a picture that cannot be used",
  async (path) => {
    const { state, item } = await publish(await open("bluesky"), { caption: at(path) });
    expect(state).toMatchObject({ status: "posted", warnings: [] });
    expect(item?.settings.embed?.external).not.toHaveProperty("thumb");
    expect(item?.media).toEqual([]);
  },
);

test.each([
  ["/error", /HTTP 500/],
  ["/file", /no HTML page/],
  ["/private", /not public/],
  ["/redirects", /redirects more than 3 times/],
  ["/without-title", /neither an og:title nor a title/],
  ["/late", /neither an og:title nor a title/],
])("%s: the post goes out without a card, and says why before and after", async (path, reason) => {
  const { post, state, item } = await publish(await open("linkedin"), { caption: `Words ${at(path)}` });
  expect(listCodes(post)).toEqual(["link_card_unavailable"]);
  expect(post.body.data.warnings).toContainEqual({
    field: "caption",
    code: "link_card_unavailable",
    message: expect.stringMatching(reason),
  });
  expect(state.status).toBe("posted");
  expect(state.warnings).toEqual([{ code: "link_card_unavailable", message: expect.stringMatching(reason) }]);
  expect(item?.settings).not.toHaveProperty("card");
});

test("link null is no card, and no page is read", async () => {
  const { post, item } = await publish(await open("bluesky"), { caption: at("/error"), link: null });
  expect(listCodes(post)).toEqual([]);
  expect(item?.settings).not.toHaveProperty("embed");
});

test("facebook and threads get the address, and say what they read from the page themselves", async () => {
  const link = { url: at("/plain"), title: "Own title" };
  const [page, threads] = [await open("facebook"), await open("threads")];
  const onPage = await publish(page, { caption: "Words", link: { url: "https://example.com/a" } });
  expect([listCodes(onPage.post), onPage.item?.settings]).toEqual([[], { link: "https://example.com/a" }]);
  const onThreads = await publish(threads, { caption: "Words", link });
  expect(listCodes(onThreads.post)).toEqual(["link_ignored"]);
  expect(onThreads.item?.settings).toMatchObject({ link_attachment: at("/plain") });
});

test("a network without cards warns that the link is ignored, and accounts say which have them", async () => {
  const { post } = await publish(await open("twitter"), { caption: "Words", link: { url: at("/plain") } });
  expect(listCodes(post)).toEqual(["link_ignored"]);
  const { body } = await api.get("/accounts");
  const cards = body.data.accounts.map(
    ({ platform, capabilities }: { platform: string; capabilities: { link_card: boolean } }) => [
      platform,
      capabilities.link_card,
    ],
  );
  expect(Object.fromEntries(cards)).toEqual({
    bluesky: true,
    linkedin: true,
    facebook: true,
    threads: true,
    twitter: false,
  });
});
