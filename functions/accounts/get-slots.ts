import { endpoint } from "../../lib/http/endpoint.ts";
import { findSlots } from "../../lib/queries/slots.ts";
import { AccountSlots } from "../../lib/schemas/slots.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default endpoint("accounts.get-slots", {
  route: "GET /accounts/{accountId}/slots",
  permission: "accounts:read",
  summary: "Get the weekly slots of an account",
  params: { accountId: "account" },
  reply: AccountSlots,
  message: "Slots.",
  errors: ["not_found"],
  internalError: "slots_get_failed",

  load: ({ db, key, params }) => findSlots(db, key.scope, params.accountId),

  async handle({ params }, plan) {
    if (!plan) throw apiError("not_found", "No account with this id is visible to the key.");
    return { account_id: params.accountId, time_zone: plan.timeZone, slots: plan.slots };
  },
});
