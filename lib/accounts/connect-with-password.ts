// Connects an account with a password that its owner made for this service, where the network has such passwords.
import { v7 as newId } from "uuid";
import { passwordConnectors } from "../platforms/connectors.ts";
import * as connections from "../queries/connections.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { apiError } from "../shared/errors.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { CONNECTION_TTL_MS, type ConnectServices, createConnectIo, toConnectFailure } from "./connect-context.ts";
import { sealSecrets } from "./connection-secrets.ts";
import { completeConnection } from "./save-accounts.ts";
import type { ConnectionRequest } from "./start-connection.ts";

/** Returns the id of the connection, which is connected or failed. */
export async function connectWithPassword(
  services: ConnectServices,
  { tenant, platform, linkId, browser, returnTo }: Omit<ConnectionRequest, "origin">,
  credentials: { identifier: string; password: string },
): Promise<string> {
  const { db, env, clock } = services;
  const connector = passwordConnectors[platform];
  if (!connector) {
    const { name } = PLATFORM_DETAILS[platform];
    throw apiError("platform_unavailable", `${name} has no passwords for single apps. Connect it by consent.`);
  }
  const id = newId();
  await connections.insert(db, tenant, {
    ...{ id, platform, linkId, stateHash: null, status: "exchanging" },
    browserHash: sha256Hex(browser),
    secrets: await sealSecrets(env, id, { returnTo }),
    expiresAt: new Date(clock().getTime() + CONNECTION_TTL_MS),
  });
  try {
    const account = await connector.signIn(env.networks[platform], credentials, createConnectIo(services));
    await completeConnection(services, { id, ...tenant, platform, linkId }, [account]);
  } catch (error) {
    const { code, message } = toConnectFailure(services, platform, error);
    await connections.finish(db, id, { status: "failed", errorCode: code, errorMessage: message });
  }
  return id;
}
