// Uploads a video and posts it with the client of @hey-api/openapi-ts.
import { createClient } from "./partner-api/client/index.js";
import { accountsList, eventsList, filesFinalize, filesStart, postsCreate } from "./partner-api/sdk.gen.js";
import type { Event, EventsPostPublishedWebhookPayload, PostCreated } from "./partner-api/types.gen.js";

export async function postVideo(baseUrl: string, token: string, video: Uint8Array<ArrayBuffer>): Promise<PostCreated> {
  const client = createClient({ baseUrl, auth: token, throwOnError: true });
  const idempotent = () => ({ "Idempotency-Key": crypto.randomUUID() });
  const options = { client, throwOnError: true } as const;

  const upload = await filesStart({ ...options, body: { contentType: "video/mp4", size: video.length } });
  const { id, uploadUrl, headers } = upload.data.data;
  await fetch(uploadUrl, { method: "PUT", headers: { ...headers }, body: video });

  const finalized = await filesFinalize({ ...options, path: { fileId: id }, headers: idempotent() });
  const events = await eventsList({ ...options, query: { types: "file.verified", limit: 200 } });
  if (!events.data.data.events.some((event) => readFileId(event) === id)) throw new Error("The upload is no event.");
  const accounts = await accountsList(options);
  const account = accounts.data.data.accounts.find(({ platform }) => platform === "tiktok");
  if (!account) throw new Error("No TikTok account is connected.");

  const { url } = finalized.data.data.file;
  const created = await postsCreate({
    ...options,
    headers: idempotent(),
    body: { caption: "Posted by hey-api", accounts: [{ id: account.id }], media: { type: "video", url } },
  });
  return created.data.data;
}

/** The type of an event says which record it has. */
function readFileId(event: Event): string | null {
  return event.type === "file.verified" ? event.data.object.file.id : null;
}

export function countAccounts({ type, data }: EventsPostPublishedWebhookPayload): number {
  const published: "post.published" = type;
  return published ? data.object.accounts.total : 0;
}
