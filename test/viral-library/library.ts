// The viral library over HTTP, with a key per customer.
import { createClient } from "../support/harness.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";
import { openCorpus } from "./corpus.ts";

export async function openLibrary(count: number) {
  const corpus = await openCorpus(await openSeparateDatabase("library"), count);
  const { address } = corpus;

  /** Creates a customer with access to this library. */
  async function customer() {
    const api = createClient(await corpus.newCustomer());
    return {
      get: (path: string, env: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
        api.call("GET", path, { env: { ...address, ...env }, headers }),
    };
  }

  return { ...corpus, customer };
}

export type Library = Awaited<ReturnType<typeof openLibrary>>;
