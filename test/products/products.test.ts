// Products: created by the admin command and by a control endpoint of the local stack.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { findProductRow } from "../../lib/queries/products.ts";
import { callAdmin, runAdmin } from "../commands/run-admin.ts";
import { createCallCounter } from "../local/call-counter.ts";
import { createProduct } from "../local/control-actions.ts";
import { type ControlActions, startControlServer } from "../local/control-server.ts";
import { createTestTenant, openTestDatabase, vars } from "../support/harness.ts";

const { DATABASE_URL = "", DATABASE_FETCH_URL } = vars;

const admin = (...args: string[]) => callAdmin(openTestDatabase(), args);

test("product create prints the id of a product in the scope of a workspace", async () => {
  const { workspaceId, ownerId } = await createTestTenant();
  const options = ["--workspace", workspaceId ?? "", "--name", "Lamp", "--description", "Folds."];
  const made = await runAdmin({ DATABASE_URL, DATABASE_FETCH_URL }, ["product", "create", ...options]);
  expect(made.code).toBe(0);
  const id = /^product ([0-9a-f-]{36})$/.exec(made.out)?.[1] ?? "";
  expect(await findProductRow(openTestDatabase(), id)).toMatchObject({
    id,
    scopeId: workspaceId,
    ownerId,
    workspaceId,
    name: "Lamp",
    description: "Folds.",
  });
});

test("product create without a description, in the personal scope of an owner", async () => {
  const email = `${newId()}@example.com`;
  const owner = await admin("owner", "create", "--email", email, "--name", "Solo");
  const ownerId = owner.replace("owner ", "");
  const made = await admin("product", "create", "--owner-email", email, "--name", "Mug");
  expect(await findProductRow(openTestDatabase(), made.replace("product ", ""))).toMatchObject({
    scopeId: ownerId,
    ownerId,
    workspaceId: null,
    description: null,
  });
});

test("product create reports missing and unknown options, and the usage lists it", async () => {
  const { workspaceId } = await createTestTenant();
  const create = (...options: string[]) => admin("product", "create", ...options);
  await expect(create("--workspace", workspaceId ?? "")).rejects.toThrow("--name is missing.");
  await expect(create("--name", "Lamp")).rejects.toThrow("--owner-email is missing.");
  const unknown = newId();
  await expect(create("--workspace", unknown, "--name", "Lamp")).rejects.toThrow(unknown);
  await expect(admin("product")).rejects.toThrow("product create    TENANT --name N [--description D]");
});

test("an unknown product is null", async () => {
  expect(await findProductRow(openTestDatabase(), newId())).toBeNull();
});

test("the control endpoint create_product returns the id of a product in the scope of the key", async () => {
  const tenant = await createTestTenant();
  const keys: string[] = [];
  const actions: Partial<ControlActions> = {
    createProduct: (key: string) => {
      keys.push(key);
      return createProduct({ DATABASE_URL, DATABASE_FETCH_URL }, tenant.token);
    },
  };
  // No other action is called here.
  const control = await startControlServer({ calls: createCallCounter(), actions: actions as ControlActions, port: 0 });
  const callDo = async (body: object) => {
    const answer = await fetch(`${control.url}/_do`, { method: "POST", body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as { productId: string } };
  };
  const created = await callDo({ do: "create_product", key: "otherWorkspace" });
  expect(created).toEqual({ status: 200, body: { done: "create_product", productId: expect.any(String) } });
  expect(await findProductRow(openTestDatabase(), created.body.productId)).toMatchObject({
    scopeId: tenant.workspaceId,
  });
  expect((await callDo({ do: "create_product", key: "unknown" })).status).toBe(422);
  expect((await callDo({ do: "create_product" })).status).toBe(422);
  expect(keys).toEqual(["otherWorkspace"]);
  await control.close();
});
