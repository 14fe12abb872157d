// Deletes links and connections that ended long ago, and retired apps that nothing needs any more.
import { deleteEndedConnectLinks } from "../queries/connect-links.ts";
import { deleteEndedConnections } from "../queries/connections.ts";
import { deleteUnusedApps } from "../queries/network-apps.ts";
import type { Services } from "../services/context.ts";
import { DAY_MS } from "../shared/durations.ts";

/** Long enough for GET to say that a link has expired, and which accounts it connected. */
const KEEP_LINKS_MS = 30 * DAY_MS;
const KEEP_CONNECTIONS_MS = DAY_MS;

export async function cleanUpConnections({ db, clock }: Pick<Services, "db" | "clock">): Promise<void> {
  const now = clock().getTime();
  await deleteEndedConnections(db, new Date(now - KEEP_CONNECTIONS_MS));
  await deleteEndedConnectLinks(db, new Date(now - KEEP_LINKS_MS));
  await deleteUnusedApps(db);
}
