import { endpoint } from "../../lib/http/endpoint.ts";
import { packNotFound, requireOwnPack } from "../../lib/packs/access.ts";
import { deletePack, findPackOwner } from "../../lib/queries/packs.ts";
import { PackDeleted } from "../../lib/schemas/pack.ts";

export default endpoint("packs.delete", {
  route: "DELETE /packs/{packId}",
  permission: "content:write",
  summary: "Delete an image pack with its list of images",
  params: { packId: "pack" },
  reply: PackDeleted,
  message: "Pack deleted.",
  errors: ["not_found", "forbidden_pack"],
  internalError: "pack_delete_failed",

  load: ({ db, key, params }) => findPackOwner(db, key.scope, params.packId),

  async handle({ db, key, params }, found) {
    requireOwnPack(found);
    if (!(await deletePack(db, key.scope, params.packId))) throw packNotFound();
    return { id: params.packId, deleted: true as const };
  },
});
