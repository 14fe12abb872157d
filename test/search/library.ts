// A library with customers of its own: a database that holds the corpus and nothing else.
import { v7 as newId } from "uuid";
import * as tenants from "../../lib/queries/tenants.ts";
import { client } from "../harness.ts";
import { openCorpus } from "./corpus.ts";

export async function openLibrary(count: number) {
  const corpus = await openCorpus(count);
  const { db, address } = corpus;

  /** A new customer of this library. */
  async function customer() {
    const owner = await tenants.createOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Test" });
    await tenants.setPlan(db, owner, newId(), { tier: "creator", status: "active", paidUntil: null });
    const key = { id: newId(), name: "test", kind: "key" as const, expiresAt: null };
    const api = client(await tenants.createKey(db, owner, key));
    return {
      get: (path: string, env: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
        api.call("GET", path, { env: { ...address, ...env }, headers }),
    };
  }

  return { ...corpus, customer };
}

export type Library = Awaited<ReturnType<typeof openLibrary>>;
