import { endpoint } from "../../lib/http/endpoint.ts";
import { requireOwnPack } from "../../lib/packs/access.ts";
import { deletePackImage, findPackOwner } from "../../lib/queries/packs.ts";
import { PackDeleted } from "../../lib/schemas/pack.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default endpoint("packs.remove-image", {
  route: "DELETE /packs/{packId}/images/{imageId}",
  permission: "content:write",
  summary: "Remove an image from an image pack",
  params: { packId: "pack", imageId: "image" },
  reply: PackDeleted,
  message: "Image removed.",
  errors: ["not_found", "forbidden_pack"],
  internalError: "pack_image_delete_failed",

  load: ({ db, key, params }) => findPackOwner(db, key.scope, params.packId),

  async handle({ db, key, params }, found) {
    requireOwnPack(found);
    if (!(await deletePackImage(db, key.scope, params.packId, params.imageId))) {
      throw apiError("not_found", "The pack has no image with this id.");
    }
    return { id: params.imageId, deleted: true as const };
  },
});
