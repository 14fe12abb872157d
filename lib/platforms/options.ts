// What an account can choose from at its network, each choice with the id that a post names. Apart from the drivers, so
// that publishing does not load it.
import type { Platform } from "../shared/platforms.ts";
import type { ApiContext } from "./api.ts";
import type { Options } from "./choice.ts";
import { listBoardSections, listBoards } from "./pinterest/options.ts";
import { listPrivacyLevels } from "./tiktok/options.ts";
import { listCategories, listPlaylists } from "./youtube/options.ts";

/** `boardId`: of the board whose sections are listed. */
type Read = (context: ApiContext, boardId: string | undefined) => Promise<Options>;

const READERS: Partial<Record<Platform, Read>> = {
  async pinterest(context, boardId) {
    if (boardId !== undefined) return { board_sections: await listBoardSections(context, boardId) };
    return { boards: await listBoards(context) };
  },

  async youtube(context) {
    const [playlists, categories] = await Promise.all([listPlaylists(context), listCategories(context)]);
    return { playlists, categories };
  },

  tiktok: async (context) => ({ privacy_levels: await listPrivacyLevels(context) }),
};

/** Null for a network that has none. */
export function getOptionsReader(platform: Platform): Read | null {
  return READERS[platform] ?? null;
}
