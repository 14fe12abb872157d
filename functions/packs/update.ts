import { endpoint } from "../../lib/http/endpoint.ts";
import { packNotFound, requireOwnPack } from "../../lib/packs/access.ts";
import { toPackResponse } from "../../lib/packs/to-response.ts";
import { findPackOwner, updatePack } from "../../lib/queries/packs.ts";
import { Pack, PackPatch } from "../../lib/schemas/pack.ts";

export default endpoint("packs.update", {
  route: "PATCH /packs/{packId}",
  permission: "content:write",
  summary: "Rename an image pack, or make it public or private",
  params: { packId: "pack" },
  body: PackPatch,
  reply: Pack,
  message: "Pack updated.",
  errors: ["not_found", "forbidden_pack"],
  internalError: "pack_update_failed",

  load: ({ db, key, params }) => findPackOwner(db, key.scope, params.packId),

  async handle({ db, key, params, now, body }, found) {
    requireOwnPack(found);
    const change = { name: body.name, isPublic: body.is_public };
    const pack = await updatePack(db, key.scope, params.packId, change, now);
    if (!pack) throw packNotFound();
    return toPackResponse(pack);
  },
});
