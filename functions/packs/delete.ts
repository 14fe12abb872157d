import { endpoint } from "../../lib/endpoint.ts";
import { noPack, requireOwn } from "../../lib/packs/ownership.ts";
import * as packs from "../../lib/queries/packs.ts";
import { PackDeleted } from "../../lib/schemas/pack.ts";

export default endpoint("packs.delete", {
  route: "DELETE /packs/{packId}",
  summary: "Delete an image pack with its list of images",
  description: "The pictures themselves and the slideshows that show them stay.",
  params: { packId: "pack" },
  reply: PackDeleted,
  message: "Pack deleted.",
  refuses: ["not_found", "forbidden_pack"],
  failure: "pack_delete_failed",

  load: ({ db, key, params }) => packs.findOwner(db, key.scope, params.packId),

  async handle({ db, key, params }, found) {
    requireOwn(found);
    if (!(await packs.remove(db, key.scope, params.packId))) throw noPack();
    return { id: params.packId, deleted: true as const };
  },
});
