// Adds a published video to playlists of its channel.

import { retry } from "../../shared/retry.ts";
import { pickList, pickString } from "../http.ts";
import { getFailure, type Job, type PublishWarning } from "../platform.ts";
import { request } from "./api.ts";

const ITEMS = "/youtube/v3/playlistItems";

/**
 * YouTube would add a video twice, so a playlist that has it is left as it is: this can be repeated. The video is
 * published, so a playlist that cannot be filled becomes a warning.
 */
export async function addToPlaylists(job: Job, videoId: string): Promise<PublishWarning[]> {
  const warnings: PublishWarning[] = [];
  for (const playlistId of new Set(pickList(job.content.settings, "playlist_ids").map(String))) {
    try {
      await retry(() => addToPlaylist(job, videoId, playlistId), mayPass);
    } catch (error) {
      const failed = getFailure(error);
      // With another token the poll is repeated.
      if (!failed || failed.class === "auth") throw error;
      const limited = failed.class === "rate_limited" ? "YouTube allows no more requests at the moment." : null;
      const why = limited ?? REASONS[failed.code] ?? failed.message;
      const message = `The video is published, but not in the playlist ${playlistId}: ${why} Add it in YouTube Studio.`;
      warnings.push({ code: "playlist_not_set", message });
    }
  }
  return warnings;
}

function mayPass(error: unknown, tries: number): boolean {
  return tries === 1 && ["transient", "unanswered"].includes(getFailure(error)?.class ?? "");
}

const REASONS: Readonly<Record<string, string>> = {
  playlistNotFound: "the channel has no such playlist.",
  insufficientPermissions:
    "the connection may upload videos, but not change playlists. Connect the channel again and allow it.",
};

/** https://developers.google.com/youtube/v3/docs/playlistItems/insert, read 2026-11-28. */
async function addToPlaylist(job: Job, videoId: string, playlistId: string): Promise<void> {
  const query = { part: "id", playlistId, videoId };
  const { body } = await request(job, "GET", ITEMS, { query });
  if (pickList(body, "items").some((item) => pickString(item, "id"))) return;
  const snippet = { playlistId, resourceId: { kind: "youtube#video", videoId } };
  await request(job, "POST", ITEMS, { query: { part: "snippet" }, json: { snippet } });
}
