import { endpoint } from "../../lib/endpoint.ts";
import * as packs from "../../lib/queries/packs.ts";
import { PackList, PackQuery } from "../../lib/schemas/pack.ts";

export default endpoint("packs.list", {
  route: "GET /packs",
  summary: "List the image packs that the key can see, newest created first",
  description: "Each comes with its first 10 images; GET /packs/{packId} has them all.",
  query: PackQuery,
  badQuery: "invalid_query",
  reply: PackList,
  message: "Packs visible to the key.",
  failure: "packs_list_failed",

  async handle({ db, key, query }) {
    const { rows, total } = await packs.list(db, key.scope, query);
    return { packs: rows, total, limit: query.limit, offset: query.offset };
  },
});
