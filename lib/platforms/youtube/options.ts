// The playlists of a channel and the categories of videos: https://developers.google.com/youtube/v3/docs/playlists/list and
// /docs/videoCategories/list, read 2026-11-28.
import type { ApiContext } from "../api.ts";
import type { Choice } from "../choice.ts";
import { pick, pickList, pickString } from "../http.ts";
import { request } from "./api.ts";

/** The most that a page holds. */
const PAGE_SIZE = "50";
const MAX_PAGES = 10;
/** Categories have the same ids in every region; not every region has all of them, and this one has. */
const REGION = "US";

export async function listPlaylists(context: ApiContext): Promise<Choice[]> {
  const choices: Choice[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { part: "snippet,status", mine: "true", maxResults: PAGE_SIZE, pageToken };
    const { body } = await request(context, "GET", "/youtube/v3/playlists", { query });
    choices.push(...pickList(body, "items").flatMap(toChoice));
    pageToken = pickString(body, "nextPageToken") ?? undefined;
    if (!pageToken) break;
  }
  return choices;
}

/** Those that a video may have. */
export async function listCategories(context: ApiContext): Promise<Choice[]> {
  const query = { part: "snippet", regionCode: REGION };
  const { body } = await request(context, "GET", "/youtube/v3/videoCategories", { query });
  return pickList(body, "items")
    .filter((row) => pick(row, "snippet", "assignable") === true)
    .flatMap(toChoice);
}

function toChoice(row: unknown): Choice[] {
  const id = pickString(row, "id");
  const privacy = pickString(row, "status", "privacyStatus");
  const name = pickString(row, "snippet", "title") ?? id;
  return id && name ? [{ id, name, ...(privacy ? { privacy } : {}) }] : [];
}
