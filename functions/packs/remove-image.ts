import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import { requireOwn } from "../../lib/packs/ownership.ts";
import * as packs from "../../lib/queries/packs.ts";
import { PackDeleted } from "../../lib/schemas/pack.ts";

export default endpoint("packs.remove-image", {
  route: "DELETE /packs/{packId}/images/{imageId}",
  summary: "Take a picture out of an image pack",
  params: { packId: "pack", imageId: "image" },
  reply: PackDeleted,
  message: "Image removed.",
  refuses: ["not_found", "forbidden_pack"],
  failure: "pack_image_delete_failed",

  load: ({ db, key, params }) => packs.findOwner(db, key.scope, params.packId),

  async handle({ db, key, params }, found) {
    requireOwn(found);
    if (!(await packs.removeImage(db, key.scope, params.packId, params.imageId))) {
      throw refuse("not_found", "The pack has no image with this id.");
    }
    return { id: params.imageId, deleted: true as const };
  },
});
