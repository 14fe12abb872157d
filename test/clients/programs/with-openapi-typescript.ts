// Uploads a video and posts it with the types of openapi-typescript.
import createClient from "openapi-fetch";
import type { components, paths, webhooks } from "./partner-api.js";

type Post = components["schemas"]["PostCreated"];
type PublishedEvent = webhooks["post.published"]["post"]["requestBody"]["content"]["application/json"];

export async function postVideo(baseUrl: string, token: string, video: Uint8Array<ArrayBuffer>): Promise<Post> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
  const idempotent = () => ({ header: { "Idempotency-Key": crypto.randomUUID() } });

  const upload = await client.POST("/files", { body: { contentType: "video/mp4", size: video.length } });
  if (!upload.data) throw new Error(`${upload.error.error_code}: ${upload.error.message}`);
  const { id, uploadUrl, headers } = upload.data.data;
  await fetch(uploadUrl, { method: "PUT", headers: { ...headers }, body: video });

  const params = { path: { fileId: id }, ...idempotent() };
  const finalized = await client.POST("/files/{fileId}/finalize", { params });
  if (!finalized.data) throw new Error(`${finalized.error.error_code}: ${finalized.error.message}`);
  const events = await client.GET("/events", { params: { query: { types: "file.verified", limit: 200 } } });
  if (!events.data?.data.events.some((event) => readFileId(event) === id)) throw new Error("The upload is no event.");
  const accounts = await client.GET("/accounts");
  const account = accounts.data?.data.accounts.find(({ platform }) => platform === "tiktok");
  if (!account) throw new Error("No TikTok account is connected.");

  const { url } = finalized.data.data.file;
  const created = await client.POST("/posts", {
    params: idempotent(),
    body: { caption: "Posted by openapi-typescript", accounts: [{ id: account.id }], media: { type: "video", url } },
  });
  if (created.error?.error_code === "media_unreachable") throw new Error("The video is not readable.");
  if (!created.data) throw new Error(created.error.message);
  return created.data.data;
}

/** The type of an event says which record it has. */
function readFileId(event: components["schemas"]["Event"]): string | null {
  return event.type === "file.verified" ? event.data.object.file.id : null;
}

export function countAccounts({ type, data }: PublishedEvent): number {
  const published: "post.published" = type;
  return published ? data.object.accounts.total : 0;
}
