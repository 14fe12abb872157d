// `npm run admin -- app ...`: apps at the networks that customers bring.
import { APP_PLATFORMS, saveOwnApp } from "../../lib/accounts/own-apps.ts";
import { listNetworkApps, retireNetworkApp } from "../../lib/queries/network-apps.ts";
import { readTokenKeys } from "./admin-accounts.ts";
import { type Command, findTenant, formatRows, readSecrets, requireOneOf, requireOption } from "./admin-options.ts";

export const APP_COMMANDS: Record<string, Command> = {
  async "app set"(db, options) {
    const tenant = await findTenant(db, options);
    const platform = requireOneOf("platform", requireOption(options, "platform"), APP_PLATFORMS);
    const clientId = requireOption(options, "client-id");
    const env = { tokenKeys: readTokenKeys() };
    const [clientSecret = ""] = await readSecrets(["Client secret, or nothing to keep the one that is stored"]);
    const { scopes = "", "uploads-per-day": uploadsPerDay = "" } = options;
    const input = { platform, clientId, clientSecret, scopes, uploadsPerDay };
    await saveOwnApp({ db, env, clock: () => new Date() }, tenant, input);
    return `Accounts of ${platform} are now connected with ${clientId}. Those that are connected keep their app until they are connected again.`;
  },

  async "app list"(db, options) {
    const { workspaceId, ownerId } = await findTenant(db, options);
    const rows = await listNetworkApps(db, workspaceId ?? ownerId);
    if (rows.length === 0) return "All accounts are connected with the apps of the deployment.";
    return formatRows(
      rows.map(({ platform, clientId, secretEnd, scopes, uploadsPerDay, accounts, retiredAt }) => ({
        platform,
        "client id": clientId,
        secret: `...${secretEnd}`,
        accounts,
        scopes: scopes?.join(" "),
        "uploads per day": uploadsPerDay,
        removed: retiredAt,
      })),
    );
  },

  async "app remove"(db, options) {
    const { workspaceId, ownerId } = await findTenant(db, options);
    const platform = requireOneOf("platform", requireOption(options, "platform"), APP_PLATFORMS);
    if (!(await retireNetworkApp(db, workspaceId ?? ownerId, platform, new Date())))
      throw new Error(`This customer has no app at ${platform}.`);
    return `New accounts of ${platform} use the app of the deployment. Accounts with tokens of the removed app keep publishing with it.`;
  },
};
