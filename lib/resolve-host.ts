// The addresses behind a host name, for the guard of callers' URLs.
import { resolve4, resolve6 } from "node:dns/promises";

/** Both families; empty when the name does not resolve. */
export async function resolveHost(host: string): Promise<string[]> {
  const found = await Promise.allSettled([resolve4(host), resolve6(host)]);
  return found.flatMap((family) => (family.status === "fulfilled" ? family.value : []));
}
