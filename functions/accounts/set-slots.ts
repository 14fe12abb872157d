import { endpoint } from "../../lib/http/endpoint.ts";
import { saveSlots } from "../../lib/queries/slots.ts";
import { AccountSlots, SlotsPut } from "../../lib/schemas/slots.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default endpoint("accounts.set-slots", {
  route: "PUT /accounts/{accountId}/slots",
  permission: "accounts:write",
  summary: "Replace the weekly slots of an account",
  params: { accountId: "account" },
  body: SlotsPut,
  reply: AccountSlots,
  message: "Slots replaced.",
  errors: ["not_found"],
  internalError: "slots_set_failed",

  async handle({ db, key, params, body }) {
    const plan = await saveSlots(db, key.scope, params.accountId, { timeZone: body.time_zone, slots: body.slots });
    if (!plan) throw apiError("not_found", "No account with this id is visible to the key.");
    return { account_id: params.accountId, time_zone: plan.timeZone, slots: plan.slots };
  },
});
