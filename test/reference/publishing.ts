// The examples of accounts, files and posts, in an order in which each can be sent.
import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { DEMO_VIDEO, putBytes } from "../files/upload-file.ts";
import { publishDeliveries } from "../posts/published-post.ts";
import {
  createClient,
  createTestAccount,
  createTestKey,
  createTestPublisher,
  queryRows,
  type Tenant,
} from "../support/harness.ts";
import type { Recorder } from "./recorder.ts";

export interface PublishedFiles {
  fileId: string;
  url: string;
}

export async function sendPublishingExamples({ send }: Recorder, tenant: Tenant): Promise<PublishedFiles> {
  const instagram = await createTestAccount(tenant, "instagram");
  const tiktok = await createTestAccount(tenant, "tiktok");
  const accounts = [{ id: instagram.id }, { id: tiktok.id }];
  await send("accounts.list", { title: "Accounts of a workspace" });
  await send("accounts.set-slots", {
    title: "Weekdays at nine",
    params: { accountId: instagram.id },
    body: { time_zone: "Europe/Berlin", slots: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, time: "09:00" })) },
  });
  await send("accounts.get-slots", { title: "Weekdays at nine", params: { accountId: instagram.id } });
  await sendConnectExamples({ send }, tenant);

  const bytes = await readFile(DEMO_VIDEO);
  const started = await send("files.start", {
    title: "A video",
    body: { contentType: "video/mp4", filename: "clip.mp4", size: bytes.length },
  });
  await putBytes(started, bytes);
  const { file } = await send("files.finalize", { title: "A video", params: { fileId: started.id } });
  const video = { type: "video", url: file.url };

  const multipart = await send("files.start-multipart", {
    title: "A video",
    body: { contentType: "video/mp4", filename: "long.mp4", size: bytes.length },
  });
  const params = { uploadId: multipart.id };
  const { parts } = await send("files.sign-parts", { title: "The first part", params, body: { partNumbers: [1] } });
  const put = await fetch(parts[0].url, { method: "PUT", body: new Uint8Array(bytes) });
  const etag = put.headers.get("etag")?.replaceAll('"', "") ?? "";
  const completed = await send("files.complete-multipart", {
    title: "All parts",
    params,
    body: { parts: [{ partNumber: 1, etag }] },
  });
  const aborted = await send("files.start-multipart", {
    title: "A large video",
    body: { contentType: "video/mp4", filename: "film.mp4", size: 734_003_200 },
  });
  await send("files.abort-multipart", { title: "An open upload", params: { uploadId: aborted.id } });
  await send("files.get", { title: "A video", params: { fileId: file.id } });
  await send("files.list", { title: "Videos", query: { type: "video", limit: "2" } });
  await send("files.delete", { title: "A file that no post uses", params: { fileId: completed.file.id } });

  const post = await send("posts.create", {
    title: "A video, now",
    body: { caption: "Three ways to brew tea", accounts, media: video },
  });
  const [row] = await queryRows<{ ids: string[] }>(
    sql`select array_agg(id::text) as ids from post_deliveries where post_id = ${post.id}`,
  );
  const { services, advance } = createTestPublisher(new Date());
  for (let round = 0; round < 8; round++) {
    await publishDue(services, row?.ids ?? []);
    advance(60_000);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await send("posts.get", { title: "A published post", params: { postId: post.id } });
  const bluesky = await createTestAccount(tenant, "bluesky");
  const mistake = await send("posts.create", {
    title: "A text, now",
    body: { caption: "Opening hours on Sunday: 9 to 5", accounts: [{ id: bluesky.id }] },
  });
  await publishDeliveries(mistake.id);
  const facebook = await createTestAccount(tenant, "facebook");
  const typo = await send("posts.create", {
    title: "A text with a mistake",
    body: { caption: "Opening hours on Sonday: 9 to 5", accounts: [{ id: facebook.id }] },
  });
  await publishDeliveries(typo.id);
  await send("posts.edit-published", {
    title: "A caption",
    params: { postId: typo.id },
    body: { caption: "Opening hours on Sunday: 9 to 5" },
  });
  await send("posts.unpublish", { title: "From every account", params: { postId: mistake.id }, body: {} });

  const winter = {
    caption: "Tea for winter evenings",
    accounts: [{ id: instagram.id }],
    media: video,
    scheduled_at: "2030-01-15T18:00:00+01:00",
    external_id: "winter-campaign-7",
    settings: { instagram: { share_to_feed: true } },
  };
  const scheduled = await send("posts.create", {
    title: "A video, at a time",
    body: winter,
  });
  await send("posts.create", {
    title: "The same external id again",
    status: 200,
    body: winter,
  });
  await send("posts.update", {
    title: "Another time and text",
    params: { postId: scheduled.id },
    body: { caption: "Tea for long winter evenings", scheduled_at: "2030-01-16T18:00:00+01:00" },
  });
  const draft = await send("posts.prepare", {
    title: "A video for TikTok",
    body: {
      caption: "Behind the scenes",
      accounts: [{ id: tiktok.id }],
      media: video,
      tiktok: { privacy_level: "PUBLIC_TO_EVERYONE", disable_duet: true },
    },
  });
  await send("posts.prepare", {
    title: "The same external id again",
    status: 200,
    body: winter,
  });
  await sendApprovalExamples({ send }, tenant, { accounts: [{ id: instagram.id }], media: video });
  await send("posts.commit", {
    title: "At a time",
    params: { postId: draft.id },
    body: { plan_hash: draft.plan_hash, scheduled_at: "2030-01-17T18:00:00+01:00" },
  });
  await queryRows(
    sql`update post_deliveries set status = 'failed', next_attempt_at = null where post_id = ${draft.id} returning id`,
  );
  await queryRows(sql`update posts set status = 'failed' where id = ${draft.id} returning id`);
  await send("posts.retry", { title: "One post", body: { post_ids: [draft.id] } });
  await send("posts.list", { title: "The newest posts", query: { limit: "2" } });
  await send("posts.delete", {
    title: "A scheduled and a published post",
    body: { post_ids: [scheduled.id, post.id] },
  });
  return { fileId: file.id, url: file.url };
}

async function sendConnectExamples({ send }: Pick<Recorder, "send">, tenant: Tenant): Promise<void> {
  const link = await send("accounts.create-connect-link", {
    title: "For two networks",
    body: {
      platforms: ["tiktok", "instagram"],
      label: "Spring campaign",
      redirect_url: "https://example.com/thanks",
      expires_in: 86_400,
    },
  });
  await send("accounts.get-connect-link", { title: "Before its visitor came", params: { linkId: link.id } });
  await send("accounts.delete-connect-link", { title: "A link that is not needed", params: { linkId: link.id } });
  const pinner = await createTestAccount(tenant, "pinterest");
  await send("accounts.options", { title: "Boards of Pinterest", params: { accountId: pinner.id } });
  const lost = await createTestAccount(tenant, "pinterest");
  await send("accounts.disconnect", { title: "An account of a former client", params: { accountId: lost.id } });
}

async function sendApprovalExamples({ send }: Pick<Recorder, "send">, tenant: Tenant, content: object): Promise<void> {
  // The key that writes a draft cannot approve it.
  const writer = createClient(await createTestKey(tenant));
  const draft = { ...content, caption: "Tea of the month", scheduled_at: "2030-01-18T18:00:00+01:00" };
  const { id: postId } = (await writer.post("/posts/prepare", draft)).body.data;
  const first = await send("approvals.create", {
    title: "For a client",
    params: { postId },
    body: { recipient: "Ann at Harbour View", message: "For Friday evening. Is the photo all right?" },
  });
  await send("approvals.withdraw", { title: "An open approval", params: { postId, approvalId: first.id } });
  const second = (await tenant.api.post(`/posts/${postId}/approvals`, { expires_in: 86_400 })).body.data;
  await send("approvals.list", { title: "One open, one withdrawn", params: { postId } });
  await send("approvals.approve", { title: "By another key", params: { postId, approvalId: second.id } });
}
