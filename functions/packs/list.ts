import { endpoint } from "../../lib/http/endpoint.ts";
import { toListedPack } from "../../lib/packs/to-response.ts";
import { listPacks } from "../../lib/queries/packs.ts";
import { PackList, PackQuery } from "../../lib/schemas/pack.ts";

export default endpoint("packs.list", {
  route: "GET /packs",
  permission: "content:read",
  summary: "List the image packs that the key can see, newest created first",
  query: PackQuery,
  reply: PackList,
  message: "Packs visible to the key.",
  internalError: "packs_list_failed",

  load({ db, key, query }) {
    const { search, include_public: includePublic, ...paging } = query;
    return listPacks(db, key.scope, { search, includePublic, ...paging });
  },

  async handle({ query: { limit, offset } }, { rows, total, nextCursor }) {
    return { packs: rows.map(toListedPack), total, limit, offset, next_cursor: nextCursor };
  },
});
