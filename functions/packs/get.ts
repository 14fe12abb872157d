import { endpoint } from "../../lib/http/endpoint.ts";
import { packNotFound } from "../../lib/packs/access.ts";
import { toPackResponse } from "../../lib/packs/to-response.ts";
import { findPack } from "../../lib/queries/packs.ts";
import { Pack } from "../../lib/schemas/pack.ts";

export default endpoint("packs.get", {
  route: "GET /packs/{packId}",
  permission: "content:read",
  summary: "Get one image pack with all of its images",
  params: { packId: "pack" },
  reply: Pack,
  message: "Pack.",
  errors: ["not_found"],
  internalError: "pack_get_failed",

  load: ({ db, key, params }) => findPack(db, key.scope, params.packId),

  async handle(_context, pack) {
    if (!pack) throw packNotFound();
    return toPackResponse(pack);
  },
});
