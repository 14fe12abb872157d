// Reading templates: visibility, order, search, filters and pages.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { savePlan } from "../../lib/queries/tenants.ts";
import { createClient, createTestKey, createTestTenant, openTestDatabase, type Tenant } from "../support/harness.ts";
import { createTemplate, makePublic, setCreatedAt } from "./factories.ts";

async function listTemplates(tenant: Pick<Tenant, "api">, query: Record<string, string>) {
  const response = await tenant.api.get(`/templates?${new URLSearchParams(query)}`);
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}

const getNames = ({ templates }: { templates: { name: string }[] }) => templates.map(({ name }) => name);

test("200 every key and grant of the workspace sees and owns its templates", async () => {
  const tenant = await createTestTenant();
  const made = await createTemplate(tenant.api, { visibility: "private" });
  const colleague = await createTestTenant();
  const theirs = createClient(await createTestKey({ ownerId: colleague.ownerId, workspaceId: tenant.workspaceId }));
  const grant = createClient(await createTestKey(tenant, { kind: "grant" }));
  for (const api of [theirs, grant]) {
    expect((await api.get(`/templates/${made.id}`)).body.data).toEqual(made);
    const search = { search: made.name };
    expect((await listTemplates({ api }, search)).templates).toEqual([made]);
  }
  const renamed = await theirs.patch(`/templates/${made.id}`, { name: "Renamed by a colleague" });
  expect([renamed.status, renamed.body.data.is_owner]).toEqual([200, true]);
});

test("404 hides private and workspace templates of another workspace, also in the list", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  for (const visibility of ["private", "workspace"]) {
    const made = await createTemplate(theirs.api, { visibility });
    const response = await mine.api.get(`/templates/${made.id}`);
    expect([response.status, response.body.error_code]).toEqual([404, "not_found"]);
    expect(await listTemplates(mine, { search: made.name })).toMatchObject({ templates: [], total: 0 });
  }
});

test("404 between the personal scope of an owner and the owner's workspace", async () => {
  const workspace = await createTestTenant();
  const personal = { api: createClient(await createTestKey({ ownerId: workspace.ownerId, workspaceId: null })) };
  const plan = { tier: "creator", status: "active", paidUntil: null } as const;
  await savePlan(openTestDatabase(), { ownerId: workspace.ownerId, workspaceId: null }, newId(), plan);
  const [ours, own] = [await createTemplate(workspace.api), await createTemplate(personal.api)];
  expect((await personal.api.get(`/templates/${ours.id}`)).status).toBe(404);
  expect((await workspace.api.get(`/templates/${own.id}`)).status).toBe(404);
  expect((await listTemplates(personal, { search: ours.name })).total).toBe(0);
  expect((await listTemplates(workspace, { search: own.name })).total).toBe(0);
});

test("200 everyone can read a public template, only its scope owns it", async () => {
  const [mine, theirs, alone] = [
    await createTestTenant(),
    await createTestTenant(),
    await createTestTenant({ personal: true }),
  ];
  const made = await createTemplate(theirs.api);
  await makePublic(made.id);
  const shown = { ...made, visibility: "public" };
  for (const { api } of [mine, alone]) {
    expect((await api.get(`/templates/${made.id}`)).body.data).toEqual({ ...shown, is_owner: false });
    expect((await listTemplates({ api }, { search: made.name })).templates).toEqual([{ ...shown, is_owner: false }]);
  }
  // Listed once, although it is both own and public.
  expect(await listTemplates(theirs, { search: made.name })).toMatchObject({ templates: [shown], total: 1 });
});

test("200 lists own and public templates by creation time; an update does not move them", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const word = newId();
  const made = [];
  for (const [at, { api }] of [mine, theirs, mine, theirs].entries()) {
    made.push(await createTemplate(api, { name: `${word} ${at}` }));
  }
  await makePublic(made[1].id);
  await makePublic(made[3].id);
  const newestFirst = [3, 2, 1, 0].map((at) => `${word} ${at}`);
  expect(getNames(await listTemplates(mine, { search: word }))).toEqual(newestFirst);
  const edited = await mine.api.patch(`/templates/${made[0].id}`, { description: "edited" });
  expect(edited.body.data.created_at).toBe(made[0].created_at);
  expect(getNames(await listTemplates(mine, { search: word }))).toEqual(newestFirst);
});

test("200 orders templates of the same instant by id, in pages without overlap or gaps", async () => {
  const tenant = await createTestTenant();
  const made = await Promise.all(Array.from({ length: 7 }, () => createTemplate(tenant.api)));
  for (const { id } of made) await setCreatedAt("templates", id, "2026-05-01T12:00:00.000Z");
  const bounds = { created_since: "2026-05-01T12:00:00Z", created_until: "2026-05-01T12:00:00Z" };
  const ids = [];
  for (const offset of ["0", "3", "6", "9"]) {
    const page = await listTemplates(tenant, { ...bounds, limit: "3", offset });
    expect([page.total, page.limit, page.offset]).toEqual([7, 3, Number(offset)]);
    ids.push(...page.templates.map(({ id }: { id: string }) => id));
  }
  const newestFirst = made.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1));
  expect(ids).toEqual(newestFirst);
});

test("200 lists 20 templates by default and at most 100", async () => {
  const tenant = await createTestTenant();
  const word = newId();
  for (let at = 0; at < 21; at++) await createTemplate(tenant.api, { name: `${word} ${at}` });
  const usual = await listTemplates(tenant, { search: word });
  expect([usual.templates.length, usual.total, usual.limit, usual.offset]).toEqual([20, 21, 20, 0]);
  expect((await listTemplates(tenant, { search: word, limit: "100" })).templates).toHaveLength(21);
  expect((await listTemplates(tenant, { search: word, limit: "1" })).templates).toHaveLength(1);
});

test("200 search matches a part of the name in any case, with %, _ and \\ as literals", async () => {
  const tenant = await createTestTenant();
  for (const name of [
    "Summer SALE 50% off",
    "summer sale 505 off",
    "a_b",
    "axb",
    "back\\slash",
    "\u00c9t\u00e9 chaud",
  ]) {
    await createTemplate(tenant.api, { name });
  }
  const found = async (search: string) => getNames(await listTemplates(tenant, { search })).toSorted();
  expect(await found("sUmMeR sale")).toEqual(["Summer SALE 50% off", "summer sale 505 off"]);
  expect(await found("50%")).toEqual(["Summer SALE 50% off"]);
  expect(await found("%")).toEqual(["Summer SALE 50% off"]);
  expect(await found("a_b")).toEqual(["a_b"]);
  expect(await found("\\")).toEqual(["back\\slash"]);
  expect(await found("\u00e9T\u00c9")).toEqual(["\u00c9t\u00e9 chaud"]);
  expect(await found("e\u0301t")).toEqual(["\u00c9t\u00e9 chaud"]);
  expect(await found("winter")).toEqual([]);
});

test("200 created_since and created_until are inclusive to the millisecond, with any offset", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const word = newId();
  for (const { api } of [mine, theirs]) {
    const { id } = await createTemplate(api, { name: `${word} ${newId()}` });
    await setCreatedAt("templates", id, "2026-03-01T10:00:00.500Z");
    if (api === theirs.api) await makePublic(id);
  }
  const total = async (query: Record<string, string>) => (await listTemplates(mine, { search: word, ...query })).total;
  expect(await total({ created_since: "2026-03-01T10:00:00.500Z" })).toBe(2);
  expect(await total({ created_since: "2026-03-01T10:00:00.501Z" })).toBe(0);
  expect(await total({ created_until: "2026-03-01T10:00:00.500Z" })).toBe(2);
  expect(await total({ created_until: "2026-03-01T10:00:00.499Z" })).toBe(0);
  expect(await total({ created_since: "2026-03-01T12:00:00.500+02:00", created_until: "2026-03-01T10:01Z" })).toBe(2);
  expect(await total({ created_since: "2026-03-01T12:00:00.501+0200" })).toBe(0);
});
