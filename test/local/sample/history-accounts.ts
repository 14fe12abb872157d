// The posts that the fake networks list for the sample's accounts: captions of its story, and its pictures.
import { PutObjectCommand } from "@aws-sdk/client-s3";
import type { NetworkAccount } from "../networks/server.ts";
import type { LocalStack } from "../stack.ts";
import { connectStorage } from "../storage-client.ts";
import { SCENES } from "./scenes.ts";
import { HISTORY_CAPTIONS } from "./story.ts";

const BUCKET = "files";
const toKey = (scene: string) => `sample/${scene}.jpg`;

/** A channel of YouTube that is not connected: anybody may read it. */
const CHANNEL = { platform: "youtube", externalId: "UCnorthlightfilms", username: "northlightfilms" } as const;
const CHANNEL_POSTS = 34;
/** In UTC: before work, at noon and in the evening of Bergen. */
const HOURS = [6, 7, 10, 11, 15, 16, 17, 18, 19];

/** The tracked accounts, registered at their networks. To be called at each start: the fakes keep no accounts. */
export function registerHistories({ networks, seed, storage }: LocalStack): NetworkAccount[] {
  const thumbnails = listThumbnails(storage);
  const newest = seed.networkAccounts[0]?.facts?.postsUntil;
  const own = seed.networkAccounts.filter(({ username }) => username?.replaceAll(".", "").startsWith("northlight"));
  const channel = { ...CHANNEL, accessToken: crypto.randomUUID(), facts: { posts: CHANNEL_POSTS, postsUntil: newest } };
  const accounts: NetworkAccount[] = [...own, channel].map((account) => ({
    ...account,
    facts: { ...account.facts, captions: HISTORY_CAPTIONS, thumbnails, hours: HOURS },
  }));
  networks.register(...accounts);
  return accounts.filter(({ username = "" }) => [CHANNEL.username, "north.light.archive"].includes(username));
}

export const listThumbnails = (storage: LocalStack["storage"]): string[] =>
  Object.keys(SCENES).map((scene) => `${storage.publicUrl(BUCKET)}/${toKey(scene)}`);

export async function storeThumbnails(
  { storage }: LocalStack,
  pictures: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  const client = connectStorage(storage);
  await Promise.all(
    [...pictures].map(([scene, Body]) =>
      client.send(new PutObjectCommand({ Bucket: BUCKET, Key: toKey(scene), Body, ContentType: "image/jpeg" })),
    ),
  );
}
