// DNS lookups, for the checks of URLs that callers send.
import { resolve4, resolve6 } from "node:dns/promises";

/** IPv4 and IPv6 addresses; empty when the name does not resolve. */
export async function resolveHost(host: string): Promise<string[]> {
  const found = await Promise.allSettled([resolve4(host), resolve6(host)]);
  return found.flatMap((family) => (family.status === "fulfilled" ? family.value : []));
}
