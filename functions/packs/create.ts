import { endpoint } from "../../lib/endpoint.ts";
import * as packs from "../../lib/queries/packs.ts";
import { Pack, PackCreate } from "../../lib/schemas/pack.ts";

export default endpoint("packs.create", {
  route: "POST /packs",
  summary: "Create an empty image pack",
  body: PackCreate,
  reply: Pack,
  status: 201,
  message: "Pack created.",
  failure: "pack_create_failed",

  handle: ({ db, key, ids, now, body }) =>
    packs.insert(db, key.scope, { id: ids(), name: body.name, isPublic: body.is_public, createdAt: now }),
});
