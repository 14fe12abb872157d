import { endpoint } from "../../lib/endpoint.ts";
import { noPack } from "../../lib/packs/ownership.ts";
import * as packs from "../../lib/queries/packs.ts";
import { Pack } from "../../lib/schemas/pack.ts";

export default endpoint("packs.get", {
  route: "GET /packs/{packId}",
  summary: "One image pack with all of its images",
  params: { packId: "pack" },
  reply: Pack,
  message: "Pack.",
  refuses: ["not_found"],
  failure: "pack_get_failed",

  async handle({ db, key, params }) {
    const pack = await packs.find(db, key.scope, params.packId);
    if (!pack) throw noPack();
    return pack;
  },
});
