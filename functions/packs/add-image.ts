import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import { imageFrom } from "../../lib/packs/image.ts";
import { noPack, requireOwn } from "../../lib/packs/ownership.ts";
import { lookAt } from "../../lib/packs/picture.ts";
import * as files from "../../lib/queries/files.ts";
import * as packs from "../../lib/queries/packs.ts";
import { PackImage, PackImageCreate } from "../../lib/schemas/pack.ts";

export default endpoint("packs.add-image", {
  route: "POST /packs/{packId}/images",
  summary: "Add a picture to an image pack",
  description:
    "The URL is fetched once to see that it is a whole picture, unless it is a finalized file of the caller. The pack keeps the URL, not a copy: the picture has to stay reachable there. A pack takes 1,000 images, the same one as often as it is added.",
  params: { packId: "pack" },
  body: PackImageCreate,
  reply: PackImage,
  status: 201,
  message: "Image added.",
  refuses: ["not_found", "forbidden_pack", "image_unreachable", "invalid_image", "pack_full"],
  failure: "pack_image_add_failed",

  load: ({ db, key, params, body }) =>
    Promise.all([packs.findOwner(db, key.scope, params.packId), files.findByUrl(db, key.scope, [body.image_url])]),

  async handle(call, [pack, [file]]) {
    const { db, key, params, body } = call;
    requireOwn(pack);
    const picture = await lookAt(call, body.image_url, file);
    const image = await packs.insertImage(db, key.scope, params.packId, imageFrom(body, picture, call));
    if (!image) throw noPack();
    if (image !== "full") return image;
    throw refuse("pack_full", `The pack holds ${packs.IMAGES_AT_MOST} images already. Delete some, or begin another.`);
  },
});
