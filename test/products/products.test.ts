// Products: made by the admin command and by the lever of the local world, and told apart by whose they are.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import * as products from "../../lib/queries/products.ts";
import { database, mintTenant, vars } from "../harness.ts";
import { createCalls } from "../local/calls.ts";
import { type Levers, startControl } from "../local/control.ts";
import { createProduct } from "../local/levers.ts";

const run = promisify(execFile);
const { DATABASE_URL = "", DATABASE_FETCH_URL } = vars;

interface Ran {
  code: number;
  out: string;
  err: string;
}

/** `npm run admin -- ...` against the database of the tests. */
async function admin(...args: string[]): Promise<Ran> {
  const script = join(import.meta.dirname, "../../drizzle/admin.ts");
  const env = { ...process.env, DATABASE_URL, DATABASE_FETCH_URL };
  const {
    code = 0,
    stdout,
    stderr,
  } = (await run(process.execPath, [script, ...args], { env }).catch(
    (error: Error & { code: number; stdout: string; stderr: string }) => error,
  )) as { code?: number; stdout: string; stderr: string };
  return { code, out: stdout.trim(), err: stderr.trim() };
}

test("product create prints the id of a product in the scope of a workspace", async () => {
  const { workspaceId, ownerId } = await mintTenant();
  const made = await admin(
    "product",
    "create",
    "--workspace",
    workspaceId ?? "",
    "--name",
    "Lamp",
    "--description",
    "Folds.",
  );
  expect(made.code).toBe(0);
  const id = /^product ([0-9a-f-]{36})$/.exec(made.out)?.[1] ?? "";
  expect(await products.find(database(), id)).toMatchObject({
    id,
    scopeId: workspaceId,
    ownerId,
    workspaceId,
    name: "Lamp",
    description: "Folds.",
  });
});

test("product create needs no description, and takes the personal scope of an owner", async () => {
  const email = `${newId()}@example.com`;
  const owner = await admin("owner", "create", "--email", email, "--name", "Solo");
  const ownerId = owner.out.replace("owner ", "");
  const made = await admin("product", "create", "--owner-email", email, "--name", "Mug");
  expect(await products.find(database(), made.out.replace("product ", ""))).toMatchObject({
    scopeId: ownerId,
    ownerId,
    workspaceId: null,
    description: null,
  });
});

test("product create says what is missing or unknown, and the usage lists it", async () => {
  const { workspaceId } = await mintTenant();
  expect(await admin("product", "create", "--workspace", workspaceId ?? "")).toMatchObject({
    code: 1,
    err: "--name is missing.",
  });
  expect((await admin("product", "create", "--name", "Lamp")).err).toBe("--owner-email is missing.");
  const unknown = newId();
  expect((await admin("product", "create", "--workspace", unknown, "--name", "Lamp")).err).toContain(unknown);
  expect((await admin("product")).err).toContain("product create    TENANT --name N [--description D]");
});

test("a product that nobody has is null", async () => {
  expect(await products.find(database(), newId())).toBeNull();
});

test("the lever create_product answers the id of a product in the scope of the key", async () => {
  const tenant = await mintTenant();
  const asked: string[] = [];
  const levers: Partial<Levers> = {
    createProduct: (key: string) => {
      asked.push(key);
      return createProduct({ DATABASE_URL, DATABASE_FETCH_URL }, tenant.token);
    },
  };
  // No other lever is pulled here.
  const control = await startControl({ calls: createCalls(), levers: levers as Levers, port: 0 });
  const pull = async (body: object) => {
    const answer = await fetch(`${control.url}/_do`, { method: "POST", body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as { productId: string } };
  };
  const pulled = await pull({ do: "create_product", key: "otherWorkspace" });
  expect(pulled).toEqual({ status: 200, body: { done: "create_product", productId: expect.any(String) } });
  expect(await products.find(database(), pulled.body.productId)).toMatchObject({ scopeId: tenant.workspaceId });
  expect((await pull({ do: "create_product", key: "nobody" })).status).toBe(422);
  expect((await pull({ do: "create_product" })).status).toBe(422);
  expect(asked).toEqual(["otherWorkspace"]);
  await control.close();
});
