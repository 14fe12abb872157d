// Asks TikTok what an account may post at the moment, for the fields of the composer.
import { getFailure } from "../../../lib/platforms/platform.ts";
import { fetchCreator } from "../../../lib/platforms/tiktok/creator.ts";
import type { Creator } from "../../../lib/platforms/tiktok/creator-info.ts";
import { withAccountToken } from "../../../lib/publishing/with-account-token.ts";
import { findConnectedAccount } from "../../../lib/queries/accounts.ts";
import { formatError } from "../../../lib/shared/format-error.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import type { PageContext } from "../page.ts";
import { PageError } from "../session.ts";

export type CreatorState = { mayPost: true; creator: Creator } | { mayPost: false; message: string };

export async function sendCreator(c: PageContext): Promise<Response> {
  const { services, workspace } = c.var;
  const id = c.req.param("accountId") ?? "";
  const account = isUuid(id) ? await findConnectedAccount(services.db, workspace.actor.scope, id) : null;
  if (account?.platform !== "tiktok" || account.type !== "byo") {
    throw new PageError(404, "There is no such TikTok account in this workspace.");
  }
  const network = services.env.networks.tiktok;
  const io = { fetch: services.fetch, now: services.clock };
  try {
    const creator = await withAccountToken(services, account, ({ accessToken }) =>
      fetchCreator({ ...io, network, connection: { accessToken } }),
    );
    return c.json<CreatorState>({ mayPost: true, creator });
  } catch (error) {
    const failure = getFailure(error);
    if (!failure) throw error;
    services.log({ level: "warn", creator_info: failure.code, error: formatError(error) });
    // As TikTok's guidelines ask: a creator who cannot post now sees this, and the advice to try again later.
    const later = failure.class === "auth" || failure.class === "account" ? "" : " Try again later.";
    return c.json<CreatorState>({ mayPost: false, message: `${failure.message}${later}` });
  }
}
