// The library over HTTP: each customer asks with a key of its own.
import { client } from "../harness.ts";
import { openCorpus } from "./corpus.ts";

export async function openLibrary(count: number) {
  const corpus = await openCorpus(count);
  const { address } = corpus;

  /** A new customer of this library. */
  async function customer() {
    const api = client(await corpus.newCustomer());
    return {
      get: (path: string, env: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
        api.call("GET", path, { env: { ...address, ...env }, headers }),
    };
  }

  return { ...corpus, customer };
}

export type Library = Awaited<ReturnType<typeof openLibrary>>;
