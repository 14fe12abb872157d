// The Bluesky driver against a real server (PDS): what it publishes is read back, and validated by the lexicons.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bluesky } from "../../lib/platforms/bluesky/driver.ts";
import { buildVideoEmbed } from "../../lib/platforms/bluesky/media.ts";
import { deriveRecordKey } from "../../lib/platforms/bluesky/record-key.ts";
import type { Content, Job } from "../../lib/platforms/platform.ts";
import { NO_LINK_CARD } from "../../lib/shared/post-content.ts";
import { validateRecord } from "../network-references/bluesky-lexicons.ts";
import { expectFailure, publishToEnd, startUntilReady } from "../platforms/publish-to-end.ts";
import { type DroppingProxy, startDroppingProxy } from "./dropping-proxy.ts";
import { findMissing } from "./install.ts";
import { file, media, openJob, PAGE, pictures, text } from "./jobs.ts";
import { type PdsAccount, type RunningPds, startPds } from "./start-pds.ts";

const COLLECTION = "app.bsky.feed.post";
const missing = findMissing();
if (missing) console.warn(`Skipped: there is no Bluesky server here: ${missing}.`);

interface Ref {
  uri: string;
  cid: string;
}

describe.skipIf(missing !== null)("bluesky on a real server", () => {
  let pds: RunningPds;
  let proxy: DroppingProxy;
  let account: PdsAccount;
  let friend: PdsAccount;
  beforeAll(async () => {
    pds = await startPds();
    proxy = await startDroppingProxy(pds.url);
    account = await pds.createAccount("first-author");
    friend = await pds.createAccount("old-friend");
  });
  afterAll(async () => {
    await proxy?.close();
    await pds?.close();
  });

  /** Nothing listens at the base URL: the directory of identities names the server. */
  const job = (content: Content, of = account): Job =>
    openJob(of, { ...network("http://127.0.0.1:9"), directoryUrl: pds.directoryUrl }, content);
  const network = (baseUrl: string) => ({ baseUrl, clientId: "", clientSecret: "" });
  const jobByProxy = (content: Content, of = account) => openJob(of, network(proxy.url), content);

  async function listRecords({ did }: PdsAccount = account): Promise<{ uri: string; value: Post }[]> {
    const query = { repo: did, collection: COLLECTION, limit: "100" };
    const { records } = await pds.call("GET", "com.atproto.repo.listRecords", { query });
    return records as { uri: string; value: Post }[];
  }

  async function publishAndRead(own: Job): Promise<Post> {
    const published = await publishToEnd(bluesky, own);
    const rkey = await deriveRecordKey(own.deliveryId);
    expect(published).toEqual({
      state: "published",
      platformPostId: `at://${account.did}/${COLLECTION}/${rkey}`,
      url: `https://bsky.app/profile/${account.did}/post/${rkey}`,
    });
    const query = { repo: account.did, collection: COLLECTION, rkey };
    const { value } = await pds.call("GET", "com.atproto.repo.getRecord", { query });
    expect(validateRecord(value as Record<string, unknown>)).toEqual([]);
    return value as Post;
  }

  test("text with a mention, links and hashtags is stored with its facets", async () => {
    const caption = "Grüße an @old-friend.test 👋 #sea https://example.com/a, example.org and @nobody.test";
    const record = await publishAndRead(job({ ...text(caption), link: NO_LINK_CARD }));
    expect(record.text).toBe(caption);
    const bytes = new TextEncoder().encode(caption);
    const marked = record.facets?.map(({ index, features }) => [
      new TextDecoder().decode(bytes.slice(index.byteStart, index.byteEnd)),
      features[0],
    ]);
    const facet = "app.bsky.richtext.facet";
    expect(marked).toEqual([
      ["@old-friend.test", { $type: `${facet}#mention`, did: friend.did }],
      ["#sea", { $type: `${facet}#tag`, tag: "sea" }],
      ["https://example.com/a", { $type: `${facet}#link`, uri: "https://example.com/a" }],
      ["example.org", { $type: `${facet}#link`, uri: "https://example.org" }],
    ]);
  });

  test("a post is removed once, and a second removal finds it gone", async () => {
    const own = job(text("A mistake"));
    const { platformPostId } = await publishToEnd(bluesky, own);
    const post = { id: platformPostId ?? "", publishedAt: new Date(), handle: {} };
    expect(await bluesky.unpublish?.(own, post)).toBe("unpublished");
    expect((await listRecords()).map(({ uri }) => uri)).not.toContain(platformPostId);
    expect(await bluesky.unpublish?.(own, post)).toBe("already_gone");
  });

  test.each([
    ["nobody", []],
    ["mentioned", [{ $type: "app.bsky.feed.threadgate#mentionRule" }]],
    ["following", [{ $type: "app.bsky.feed.threadgate#followingRule" }]],
  ])("a post to which %s may reply has its rule and its languages from the first moment", async (control, allow) => {
    const content = { ...text(`Replies ${control}`), settings: { reply_control: control, languages: ["en", "pt-BR"] } };
    const own = jobByProxy(content);
    const handle = await startUntilReady(bluesky, own);
    // The answer is lost, and a repetition of the call is refused as a whole.
    proxy.drop("com.atproto.repo.applyWrites", "after");
    expect((await expectFailure(bluesky.publish(own, handle))).class).toBe("unanswered");
    expect((await expectFailure(bluesky.publish(own, handle))).class).toBe("unanswered");
    expect((await bluesky.reconcile(own, handle)).state).toBe("published");
    const records = (await listRecords()).filter(({ value }) => value.text === content.caption);
    expect(records.map(({ value }) => value)).toMatchObject([{ langs: ["en", "pt-BR"] }]);
    const query = {
      repo: account.did,
      collection: "app.bsky.feed.threadgate",
      rkey: records[0]?.uri.split("/").at(-1) ?? "",
    };
    const { value: gate } = await pds.call("GET", "com.atproto.repo.getRecord", { query });
    expect(validateRecord(gate as Record<string, unknown>)).toEqual([]);
    expect(gate).toMatchObject({ post: records[0]?.uri, allow });
  });

  test("a link has a card with the tags and the picture of its page", async () => {
    const record = await publishAndRead(job({ ...text("Words"), link: { url: PAGE, title: "Own title" } }));
    expect(record.embed).toMatchObject({
      $type: "app.bsky.embed.external",
      external: { uri: PAGE, title: "Own title", description: "Its words", thumb: { mimeType: "image/png" } },
    });
  });

  test("a thread of five and a first comment refer to the records that they answer", async () => {
    const root = job(text("The first of five"));
    const published = [await publishToEnd(bluesky, root)];
    const refs: Ref[] = [];
    for (const [at, caption] of ["two", "three", "four", "five", "a first comment"].entries()) {
      const [first] = published;
      const isComment = at === 4;
      const earlier = published.map(({ platformPostId: id, url }) => ({ id, url }));
      const parent = (isComment ? earlier[0] : earlier.at(-1)) ?? { id: null, url: null };
      const part = { kind: isComment ? "comment" : "reply", number: at + 1, parent, earlier } as const;
      const content = at === 1 ? { ...pictures([file("photo.png")]), caption } : text(caption);
      const own = { ...root, content, part: { ...part, root: { id: first?.platformPostId ?? "", url: null } } };
      published.push(await publishToEnd(bluesky, own));
      // The key belongs to the part: what is out is found again, and is not created twice.
      const handle = await startUntilReady(bluesky, own);
      expect(await bluesky.reconcile(own, handle)).toMatchObject({ platformPostId: published.at(-1)?.platformPostId });
    }
    const records = await Promise.all(
      published.map(({ platformPostId: uri }) =>
        pds.call("GET", "com.atproto.repo.getRecord", {
          query: { repo: account.did, collection: COLLECTION, rkey: uri?.split("/").at(-1) ?? "" },
        }),
      ),
    );
    for (const { uri, cid } of records as unknown as Ref[]) refs.push({ uri, cid });
    const replies = records.slice(1).map(({ value }) => value as { reply: { root: Ref; parent: Ref } });
    expect(replies.flatMap((reply) => validateRecord(reply as unknown as Record<string, unknown>))).toEqual([]);
    expect(replies.map(({ reply }) => reply.root)).toEqual(replies.map(() => refs[0]));
    expect(replies.map(({ reply }) => reply.parent)).toEqual([refs[0], refs[1], refs[2], refs[3], refs[0]]);
  });

  test.each([1, 4])("%d images are an images embed", async (count) => {
    const record = await publishAndRead(job(pictures(Array.from({ length: count }, () => file("photo.png")))));
    expect(record.embed?.$type).toBe("app.bsky.embed.images");
    expect(record.embed?.images).toHaveLength(count);
    expect(record.embed?.images?.[0]?.image).toMatchObject({ mimeType: "image/png", size: media["photo.png"].length });
  });

  test.each([5, 10])("%d images are a gallery, with the sides of each", async (count) => {
    const record = await publishAndRead(job(pictures(Array.from({ length: count }, () => file("photo.png")))));
    expect(record.embed?.$type).toBe("app.bsky.embed.gallery");
    expect(record.embed?.items).toHaveLength(count);
    expect(record.embed?.items?.at(-1)).toMatchObject({ alt: "", aspectRatio: { width: 120, height: 80 } });
  });

  test("an image of the most bytes is accepted", async () => {
    const record = await publishAndRead(job(pictures([file("largest.jpg")])));
    expect(record.embed?.images?.[0]?.image.size).toBe(2_000_000);
  });

  test("the server rejects an image with one byte more than our limit", async () => {
    const own = job(text("Too large"));
    const handle = await startUntilReady(bluesky, own);
    const image = await uploadBlob("too-large.jpg", "image/jpeg");
    const embed = { $type: "app.bsky.embed.images", images: [{ image, alt: "" }] };
    const failed = await expectFailure(bluesky.publish(own, { ...handle, embed }));
    expect(failed).toMatchObject({ class: "content" });
  });

  // The service that processes videos does not exist here, so the record embeds the uploaded file itself.
  test("a video record is stored with its blob", async () => {
    const own = job(text("A clip"));
    const handle = await startUntilReady(bluesky, own);
    const video = await uploadBlob("clip.mp4", "video/mp4");
    const embed = buildVideoEmbed(video, file("clip.mp4", { width: 1080, height: 1920 }));
    const published = await bluesky.publish(own, { ...handle, embed });
    expect(published.state).toBe("published");
    expect(await bluesky.reconcile(own, handle)).toEqual(published);
    const record = (await listRecords()).find(({ value }) => value.text === "A clip")?.value;
    expect(validateRecord((record ?? {}) as Record<string, unknown>)).toEqual([]);
    expect(record?.embed).toMatchObject({ video: { mimeType: "video/mp4", size: media["clip.mp4"].length } });
  });

  test("an response lost after the effect is found by reconcile, and a repeated delivery stays one record", async () => {
    const caption = `Only once ${randomUUID()}`;
    const own = jobByProxy(pictures([file("photo.png")]));
    own.content.caption = caption;
    const handle = await startUntilReady(bluesky, own);
    proxy.drop("com.atproto.repo.createRecord", "after");
    expect((await expectFailure(bluesky.publish(own, handle))).class).toBe("unanswered");
    const found = await bluesky.reconcile(own, handle);
    expect(found.state).toBe("published");
    // As after a crash between arming and the response: the whole delivery begins again.
    const again = await startUntilReady(bluesky, own);
    expect((await expectFailure(bluesky.publish(own, again))).class).toBe("unanswered");
    expect(await bluesky.reconcile(own, again)).toEqual(found);
    expect((await listRecords()).filter(({ value }) => value.text === caption)).toHaveLength(1);
  });

  test("a request lost before the effect is reported as not published, and continues with its handle", async () => {
    const caption = `Late ${randomUUID()}`;
    const own = jobByProxy(text(caption));
    const handle = await startUntilReady(bluesky, own);
    proxy.drop("com.atproto.repo.createRecord", "before");
    expect((await expectFailure(bluesky.publish(own, handle))).class).toBe("unanswered");
    expect(await bluesky.reconcile(own, handle)).toEqual({ state: "not_published", handle });
    expect((await bluesky.publish(own, handle)).state).toBe("published");
    expect((await listRecords()).filter(({ value }) => value.text === caption)).toHaveLength(1);
  });

  test("many repetitions at once create one record", async () => {
    const caption = `Crowd ${randomUUID()}`;
    const own = job(text(caption));
    const handle = await startUntilReady(bluesky, own);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => bluesky.publish(own, handle)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await listRecords()).filter(({ value }) => value.text === caption)).toHaveLength(1);
  });

  async function uploadBlob(name: keyof typeof media, type: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${account.accessToken}`, "content-type": type };
    const body = new Uint8Array(media[name]);
    const response = await fetch(`${pds.url}/xrpc/com.atproto.repo.uploadBlob`, { method: "POST", headers, body });
    return ((await response.json()) as { blob: unknown }).blob;
  }
});

interface Post {
  text: string;
  langs?: string[];
  facets?: { index: { byteStart: number; byteEnd: number }; features: unknown[] }[];
  embed?: { $type: string; images?: { image: { size: number } }[]; items?: unknown[] };
}
