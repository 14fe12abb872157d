// Connects an account with an app password, on networks that support app passwords.
import { v7 as newId } from "uuid";
import { passwordConnectors } from "../platforms/connectors.ts";
import { insertConnection } from "../queries/connections.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { apiError } from "../shared/errors.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { CONNECTION_TTL_MS, type ConnectServices, createConnectIo, failConnection } from "./connect-context.ts";
import { sealSecrets } from "./connection-secrets.ts";
import { completeConnection } from "./save-accounts.ts";
import type { ConnectionRequest } from "./start-connection.ts";

/**
 * Returns the id of the connection. A failed sign-in does not throw: it is stored with status `failed`. The password is
 * not stored, only the tokens of the session.
 */
export async function connectWithPassword(
  services: ConnectServices,
  { tenant, platform, linkId, browser, returnTo }: Omit<ConnectionRequest, "origin">,
  credentials: { identifier: string; password: string },
): Promise<string> {
  const { db, env, clock } = services;
  const connector = passwordConnectors[platform];
  if (!connector) {
    const { name } = PLATFORM_DETAILS[platform];
    throw apiError(
      "platform_unavailable",
      `${name} does not support app passwords. Connect the account on ${name}'s own sign-in page.`,
    );
  }
  const id = newId();
  await insertConnection(db, tenant, {
    id,
    platform,
    linkId,
    networkAppId: null,
    stateHash: null,
    status: "exchanging",
    // Only the browser that began the connection may read its result.
    browserHash: sha256Hex(browser),
    secrets: await sealSecrets(env, id, { returnTo }),
    expiresAt: new Date(clock().getTime() + CONNECTION_TTL_MS),
  });
  try {
    const account = await connector.signIn(env.networks[platform], credentials, createConnectIo(services));
    await completeConnection(services, { id, ...tenant, platform, linkId, networkAppId: null }, [account]);
  } catch (error) {
    await failConnection(services, { id, platform, networkAppId: null }, error);
  }
  return id;
}
