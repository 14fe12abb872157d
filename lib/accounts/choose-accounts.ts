// A consent that covers several accounts: shows them, and stores those that were chosen.
import {
  type Connection,
  consumeConnectionChoice,
  findConnectionForBrowser,
  saveConnectionResult,
} from "../queries/connections.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { isUuid } from "../shared/ids.ts";
import type { Platform } from "../shared/platforms.ts";
import { type ConnectServices, failConnection } from "./connect-context.ts";
import { openSecrets } from "./connection-secrets.ts";
import { completeConnection } from "./save-accounts.ts";

export interface ConnectionView {
  id: string;
  platform: Platform;
  linkId: string | null;
  status: Connection["status"];
  /** Why it failed, for the person who connects. */
  error: string | null;
  accountIds: string[];
  /** While the status is `choosing`. */
  candidates: { externalId: string; username: string; displayName: string; kind: string }[];
}

/** A connection as the browser that began it may see it; null for any other. */
export async function readConnection(
  { db, env }: ConnectServices,
  { id, browser }: { id: string; browser: string },
): Promise<ConnectionView | null> {
  const connection = isUuid(id) ? await findConnectionForBrowser(db, id, sha256Hex(browser)) : null;
  if (!connection) return null;
  const { platform, linkId, status, errorMessage, accountIds } = connection;
  const { candidates = [] } = status === "choosing" ? await openSecrets(env, id, connection.secrets) : {};
  return {
    ...{ id, platform, linkId, status, accountIds, error: errorMessage },
    candidates: candidates.map(({ externalId, username, displayName, kind }) => ({
      ...{ externalId, username, displayName, kind },
    })),
  };
}

/** Stores the chosen accounts once. False when nothing was chosen, or the choice was made before or has expired. */
export async function chooseAccounts(
  services: ConnectServices,
  { id, browser, externalIds }: { id: string; browser: string; externalIds: string[] },
): Promise<boolean> {
  const { db, env } = services;
  if (!isUuid(id) || externalIds.length === 0) return false;
  const connection = await consumeConnectionChoice(db, { id, browserHash: sha256Hex(browser), now: services.clock() });
  if (!connection) return false;
  const { candidates = [] } = await openSecrets(env, id, connection.secrets);
  const choice = candidates.filter(({ externalId }) => externalIds.includes(externalId));
  if (choice.length === 0) {
    await saveConnectionResult(db, id, { status: "choosing" });
    return false;
  }
  try {
    await completeConnection(services, connection, choice);
  } catch (error) {
    await failConnection(services, connection, error);
  }
  return true;
}
