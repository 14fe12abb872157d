// Updating, deleting and using templates.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { countTemplateUse, insertTemplate } from "../../lib/queries/templates.ts";
import { createTestTenant, openTestDatabase, type Tenant } from "../support/harness.ts";
import { buildTemplateConfig, createTemplate, makePublic } from "./factories.ts";

test("200 changes the given fields only; null clears the description", async () => {
  const { api } = await createTestTenant();
  const made = await createTemplate(api, { description: "before" });
  let expected = made;
  const config = {
    ...buildTemplateConfig(),
    structure: { slides: buildTemplateConfig().structure.slides.slice(0, 1) },
  };
  for (const patch of [
    { name: "After" },
    { description: "then" },
    { description: null },
    { visibility: "workspace" },
    { config },
  ]) {
    const response = await api.patch(`/templates/${made.id}`, patch);
    expected = { ...expected, ...patch, updated_at: response.body.data.updated_at };
    expect([response.status, response.body.data]).toEqual([200, expected]);
    expect((await api.get(`/templates/${made.id}`)).body.data).toEqual(expected);
  }
  expect(Date.parse(expected.updated_at)).toBeGreaterThanOrEqual(Date.parse(made.updated_at));
});

test("200 for its own name; 409 template_name_conflict for the name of another template", async () => {
  const { api } = await createTestTenant();
  const [one, two] = [await createTemplate(api, { name: "One" }), await createTemplate(api, { name: "Two" })];
  expect((await api.patch(`/templates/${one.id}`, { name: " One " })).status).toBe(200);
  const taken = await api.patch(`/templates/${two.id}`, { name: "One", description: "not written" });
  expect([taken.status, taken.body.error_code]).toEqual([409, "template_name_conflict"]);
  expect((await api.get(`/templates/${two.id}`)).body.data).toEqual(two);
});

test("200 for one of 20 parallel renames to one name, 409 for the others", async () => {
  const { api } = await createTestTenant();
  const made = await Promise.all(Array.from({ length: 20 }, () => createTemplate(api)));
  const responses = await Promise.all(made.map(({ id }) => api.patch(`/templates/${id}`, { name: "The one" })));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)]);
});

test("422 for an empty patch, visibility public and an incomplete config", async () => {
  const { api } = await createTestTenant();
  const { id } = await createTemplate(api);
  const rejected = async (body: unknown) => (await api.patch(`/templates/${id}`, body)).body.error_code;
  expect(await rejected({})).toBe("invalid_payload");
  expect(await rejected(undefined)).toBe("invalid_payload");
  expect(await rejected({ name: " " })).toBe("invalid_payload");
  expect(await rejected({ visibility: "public" })).toBe("invalid_payload");
  expect(await rejected({ use_count: 5 })).toBe("invalid_payload");
  expect(await rejected({ config: { version: 1 } })).toBe("invalid_template_config");
  expect(await rejected({ config: null })).toBe("invalid_template_config");
  expect(await rejected({ name: " ", config: null })).toBe("invalid_payload");
});

test("403 forbidden_template for visibility workspace with a personal key", async () => {
  const { api } = await createTestTenant({ personal: true });
  const made = await createTemplate(api);
  const response = await api.patch(`/templates/${made.id}`, { visibility: "workspace" });
  expect([response.status, response.body.error_code]).toEqual([403, "forbidden_template"]);
  expect((await api.get(`/templates/${made.id}`)).body.data).toEqual(made);
});

const listWrites = (id: string) =>
  [
    ["PATCH", `/templates/${id}`, { name: "Mine now" }],
    ["DELETE", `/templates/${id}`, undefined],
  ] as const;

test("403 forbidden_template for another scope's public template, which is unchanged", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const made = await createTemplate(theirs.api);
  await makePublic(made.id);
  for (const [method, path, body] of listWrites(made.id)) {
    const response = await mine.api.call(method, path, { body });
    expect([response.status, response.body.error_code]).toEqual([403, "forbidden_template"]);
  }
  expect((await theirs.api.get(`/templates/${made.id}`)).body.data).toEqual({ ...made, visibility: "public" });
});

test("404 not_found for another workspace's template, which is unchanged", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const made = await createTemplate(theirs.api, { visibility: "workspace" });
  for (const [method, path, body] of listWrites(made.id)) {
    const response = await mine.api.call(method, path, { body });
    expect([response.status, response.body.error_code]).toEqual([404, "not_found"]);
  }
  expect((await theirs.api.get(`/templates/${made.id}`)).body.data).toEqual(made);
});

test("200 the owner can make a public template private", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const made = await createTemplate(theirs.api);
  await makePublic(made.id);
  expect((await theirs.api.patch(`/templates/${made.id}`, { visibility: "private" })).status).toBe(200);
  expect((await mine.api.get(`/templates/${made.id}`)).status).toBe(404);
});

test("200 deletes once and frees the name; then 404", async () => {
  const { api } = await createTestTenant();
  const { id } = await createTemplate(api, { name: "Gone" });
  const gone = await api.delete(`/templates/${id}`);
  expect([gone.status, gone.body.data]).toEqual([200, { id, deleted: true }]);
  for (const [method, path, body] of [...listWrites(id), ["GET", `/templates/${id}`, undefined] as const]) {
    const response = await api.call(method, path, { body });
    expect([response.status, response.body.error_code]).toEqual([404, "not_found"]);
  }
  expect((await createTemplate(api, { name: "Gone" })).id).not.toBe(id);
});

const toScope = ({ ownerId, workspaceId }: Tenant) => ({ id: workspaceId ?? ownerId, ownerId, workspaceId });

test("every use by any reader is counted, also concurrent ones, without other changes", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const [own, shared, hidden] = [
    await createTemplate(mine.api),
    await createTemplate(theirs.api),
    await createTemplate(theirs.api),
  ];
  await makePublic(shared.id);
  const at = new Date("2027-01-02T03:04:05.678Z");
  const use = (id: string) => countTemplateUse(openTestDatabase(), toScope(mine), id, at);
  await Promise.all(Array.from({ length: 10 }, () => use(own.id)));
  expect(await use(shared.id)).toEqual([{ id: shared.id }]);
  expect(await use(hidden.id)).toEqual([]);
  expect(await use(newId())).toEqual([]);
  const used = { use_count: 10, last_used_at: at.toISOString() };
  expect((await mine.api.get(`/templates/${own.id}`)).body.data).toEqual({ ...own, ...used });
  expect((await theirs.api.get(`/templates/${shared.id}`)).body.data).toMatchObject({ ...used, use_count: 1 });
  expect((await theirs.api.get(`/templates/${hidden.id}`)).body.data).toEqual(hidden);
});

test("a repeated execution finds the template of the first, with a given or a numbered name", async () => {
  const tenant = await createTestTenant();
  for (const numbered of [false, true]) {
    const wanted = {
      id: newId(),
      name: `Again ${numbered}`,
      numberIfTaken: numbered,
      description: null,
      visibility: "private" as const,
      previewUrl: null,
      config: buildTemplateConfig(),
      createdAt: new Date(),
    };
    const insert = () => insertTemplate(openTestDatabase(), toScope(tenant), wanted);
    const [first, again] = [await insert(), await insert()];
    expect(first).toMatchObject({ id: wanted.id, name: wanted.name });
    expect(again).toEqual(first);
    expect((await tenant.api.get(`/templates?search=Again%20${numbered}`)).body.data.total).toBe(1);
  }
});
