// The boards of an account and their sections: https://developers.pinterest.com/docs/api/v5/boards-list/ and
// /board_sections-list/, read 2026-11-28.
import type { ApiContext } from "../api.ts";
import type { Choice } from "../choice.ts";
import { pickList, pickString } from "../http.ts";
import { request } from "./api.ts";

/** The most that a page holds. */
const PAGE_SIZE = "250";
const MAX_PAGES = 8;

export function listBoards(context: ApiContext): Promise<Choice[]> {
  return listPages(context, "boards");
}

export function listBoardSections(context: ApiContext, boardId: string): Promise<Choice[]> {
  return listPages(context, `boards/${boardId}/sections`);
}

async function listPages(context: ApiContext, path: string): Promise<Choice[]> {
  const choices: Choice[] = [];
  let bookmark: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { body } = await request(context, "GET", path, { query: { page_size: PAGE_SIZE, bookmark } });
    choices.push(...pickList(body, "items").flatMap(toChoice));
    bookmark = pickString(body, "bookmark") ?? undefined;
    if (!bookmark) break;
  }
  return choices;
}

function toChoice(row: unknown): Choice[] {
  const [id, name, privacy] = [pickString(row, "id"), pickString(row, "name"), pickString(row, "privacy")];
  return id ? [{ id, name: name ?? id, ...(privacy ? { privacy: privacy.toLowerCase() } : {}) }] : [];
}
