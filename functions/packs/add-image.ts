import { endpoint } from "../../lib/http/endpoint.ts";
import { packNotFound, requireOwnPack } from "../../lib/packs/access.ts";
import { inspectImage } from "../../lib/packs/inspect-image.ts";
import { toNewImage } from "../../lib/packs/new-image.ts";
import { toImageResponse } from "../../lib/packs/to-response.ts";
import { findFilesByUrl } from "../../lib/queries/files.ts";
import { findPackOwner, insertPackImage, MAX_PACK_IMAGES } from "../../lib/queries/packs.ts";
import { PackImage, PackImageCreate } from "../../lib/schemas/pack.ts";
import { countOutsideUrls } from "../../lib/services/outside-urls.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default endpoint("packs.add-image", {
  route: "POST /packs/{packId}/images",
  permission: "content:write",
  summary: "Add an image to an image pack",
  params: { packId: "pack" },
  body: PackImageCreate,
  reply: PackImage,
  status: 201,
  message: "Image added.",
  errors: ["not_found", "forbidden_pack", "image_unreachable", "invalid_image", "pack_full"],
  internalError: "pack_image_add_failed",
  limits: ["outside_urls"],
  costs: ({ body, env }) => ({ outside_urls: countOutsideUrls([body.image_url], env) }),

  load: ({ db, key, params, body }) =>
    Promise.all([findPackOwner(db, key.scope, params.packId), findFilesByUrl(db, key.scope, [body.image_url])]),

  async handle(context, [pack, [file]]) {
    const { db, key, params, body } = context;
    requireOwnPack(pack);
    const info = await inspectImage(context, body.image_url, file);
    const image = await insertPackImage(db, key.scope, params.packId, toNewImage(body, info, context));
    if (!image) throw packNotFound();
    if (image !== "full") return toImageResponse(image);
    throw apiError(
      "pack_full",
      `The pack holds ${MAX_PACK_IMAGES} images, the maximum. Remove images or create another pack.`,
    );
  },
});
