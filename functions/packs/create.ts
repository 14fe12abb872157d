import { endpoint } from "../../lib/http/endpoint.ts";
import { toPackResponse } from "../../lib/packs/to-response.ts";
import { insertPack } from "../../lib/queries/packs.ts";
import { Pack, PackCreate } from "../../lib/schemas/pack.ts";

export default endpoint("packs.create", {
  route: "POST /packs",
  permission: "content:write",
  summary: "Create an empty image pack",
  body: PackCreate,
  reply: Pack,
  status: 201,
  message: "Pack created.",
  internalError: "pack_create_failed",

  async handle({ db, key, ids, now, body }) {
    const pack = { id: ids(), name: body.name, isPublic: body.is_public, createdAt: now };
    return toPackResponse(await insertPack(db, key.scope, pack));
  },
});
