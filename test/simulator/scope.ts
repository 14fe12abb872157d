// A test scope whose networks are simulated by the Worker, and the jobs of drivers that publish to them.
import { v7 as newId } from "uuid";
import simulator from "../../functions/simulator/worker.ts";
import { createHostedPublisher } from "../../lib/platforms/hosted/driver.ts";
import { drivers } from "../../lib/platforms/index.ts";
import type { Content, Job, Publisher } from "../../lib/platforms/platform.ts";
import { insertOwner, insertWorkspace } from "../../lib/queries/tenants.ts";
import { type NetworkName, toOutcomeHeaders } from "../../lib/simulator/outcomes.ts";
import { type VirtualAccount, virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import { openTestDatabase, vars } from "../support/harness.ts";

const ORIGIN = "https://simulator.internal";

export type SimulatedScope = Awaited<ReturnType<typeof openScope>>;

export async function openScope() {
  const db = openTestDatabase();
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Test" });
  const { workspaceId } = await insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Test mode" });
  const scopeId = String(workspaceId);
  let clock = Date.parse("2026-11-29T12:00:00Z");
  let resets = 0;
  const now = () => new Date(clock);

  function call(path: string, init: RequestInit = {}, more: Record<string, string> = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const own = {
      "x-sandbox-scope": scopeId,
      "x-sandbox-now": now().toISOString(),
      "x-sandbox-resets": String(resets),
      ...more,
    };
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    const url = path.startsWith(ORIGIN) ? path : `${ORIGIN}${path}`;
    const request = new Request(url, { ...init, headers, ...(init.body ? { duplex: "half" } : {}) } as RequestInit);
    return simulator.fetch(request as never, vars as never);
  }

  const advance = (ms: number) => {
    clock += ms;
  };

  const accounts = virtualAccounts(scopeId);
  const findAccount = (network: NetworkName, key = 0): VirtualAccount => {
    const own = accounts.filter(({ type, platform }) => (type === "hosted" ? "hosted" : platform) === network);
    const found = own[key];
    if (!found) throw new Error(`There is no account ${key} at ${network}.`);
    return found;
  };

  return {
    scopeId,
    now,
    call,
    findAccount,
    advance,
    reset() {
      resets += 1;
    },

    /** The job of a delivery. Its calls say which delivery they belong to, as those of the service do. */
    job(network: NetworkName, content: Content, account = findAccount(network)): Job & { advance(ms: number): void } {
      const deliveryId = newId();
      const config = { baseUrl: `${ORIGIN}/${network}`, clientId: "sandbox", clientSecret: "sandbox" };
      const sent = toOutcomeHeaders(deliveryId, content.caption, network);
      return {
        ...{ deliveryId, content, network: config, now, advance },
        connection: {
          accountId: account.id,
          externalId: account.externalId,
          accessToken: account.accessToken ?? "",
        },
        fetch: (input, init) => call(String(input instanceof Request ? input.url : input), init, sent),
        fetchMedia: (url, init) => fetch(url, init),
      };
    },
  };
}

export function getPublisher(network: NetworkName, { platform, username }: VirtualAccount): Publisher {
  const driver =
    network === "hosted" ? createHostedPublisher({ platform, username, callbackUrl: null }) : drivers[network];
  if (!driver) throw new Error(`${network} has no driver.`);
  return driver;
}
