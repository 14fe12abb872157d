import { endpoint } from "../../lib/endpoint.ts";
import { noPack, requireOwn } from "../../lib/packs/ownership.ts";
import * as packs from "../../lib/queries/packs.ts";
import { Pack, PackPatch } from "../../lib/schemas/pack.ts";

export default endpoint("packs.update", {
  route: "PATCH /packs/{packId}",
  summary: "Rename an image pack, or make it public or private",
  params: { packId: "pack" },
  body: PackPatch,
  reply: Pack,
  message: "Pack updated.",
  refuses: ["not_found", "forbidden_pack"],
  failure: "pack_update_failed",

  load: ({ db, key, params }) => packs.findOwner(db, key.scope, params.packId),

  async handle({ db, key, params, now, body }, found) {
    requireOwn(found);
    const pack = await packs.update(db, key.scope, params.packId, body, now);
    if (!pack) throw noPack();
    return pack;
  },
});
