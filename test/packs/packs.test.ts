// Packs over HTTP: create, read, update, delete, and access from other scopes.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import {
  deletePack,
  deletePackImage,
  findPack,
  findPackImages,
  insertPack,
  insertPackImage,
  updatePack,
} from "../../lib/queries/packs.ts";
import { createClient, createTestKey, createTestTenant, openTestDatabase, type Tenant } from "../support/harness.ts";
import { setCreatedAt } from "../templates/factories.ts";
import { createPack, insertImages } from "./factories.ts";

async function listPacks(tenant: Pick<Tenant, "api">, query: Record<string, string>) {
  const response = await tenant.api.get(`/packs?${new URLSearchParams(query)}`);
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}

const getIds = (found: { packs: { id: string }[] }) => found.packs.map(({ id }) => id);

test("201 returns an empty pack, equal to GET", async () => {
  const { api } = await createTestTenant();
  const made = await api.post("/packs", { name: "  Beaches \u00e9 " });
  expect(made.status).toBe(201);
  expect(made.body.data).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: "Beaches \u00e9",
    image_count: 0,
    is_public: false,
    created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    images: [],
  });
  const read = await api.get(`/packs/${made.body.data.id}`);
  expect([read.status, read.body.data]).toEqual([200, made.body.data]);
});

test("201 for a name of 120 characters and for an existing name", async () => {
  const { api } = await createTestTenant();
  const name = "\u{1f3d6}".repeat(120);
  const [one, two] = [await createPack(api, { name, is_public: true }), await createPack(api, { name })];
  expect([one.name, one.is_public, two.name, two.is_public]).toEqual([name, true, name, false]);
  expect(one.id).not.toBe(two.id);
});

test.each<[field: string, body: object]>([
  ["name", {}],
  ["name", { name: " \n " }],
  ["name", { name: "x".repeat(121) }],
  ["name", { name: null }],
  ["is_public", { name: "a", is_public: "yes" }],
  ["is_public", { name: "a", is_public: null }],
  ["images", { name: "a", images: [] }],
])("422 invalid_payload for the field %s, on create and update", async (field, body) => {
  const { api } = await createTestTenant();
  const { id } = await createPack(api);
  const responses = [await api.post("/packs", body), await api.patch(`/packs/${id}`, body)];
  for (const response of responses) {
    expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
  }
  expect(Object.keys(responses[0]?.body.issues.fieldErrors)).toEqual([field]);
});

test("200 changes the given fields only and keeps the position in the list", async () => {
  const tenant = await createTestTenant();
  const word = newId();
  const [older, newer] = [
    await createPack(tenant.api, { name: `${word} a` }),
    await createPack(tenant.api, { name: `${word} b` }),
  ];
  await insertImages(older.id, 2);
  const { images } = (await tenant.api.get(`/packs/${older.id}`)).body.data;
  let expected = { ...older, image_count: 2, images };
  for (const patch of [{ name: `${word} c` }, { is_public: true }, { is_public: false, name: `${word} d` }]) {
    expected = { ...expected, ...patch };
    const response = await tenant.api.patch(`/packs/${older.id}`, patch);
    expect([response.status, response.body.data]).toEqual([200, expected]);
  }
  expect(getIds(await listPacks(tenant, { search: word }))).toEqual([newer.id, older.id]);
});

test("200 deletes a pack with its images, or one image; then 404", async () => {
  const { api } = await createTestTenant();
  const { id } = await createPack(api);
  await insertImages(id, 3);
  const [first, second, third] = (await api.get(`/packs/${id}`)).body.data.images;
  const removed = await api.delete(`/packs/${id}/images/${second.id}`);
  expect([removed.status, removed.body.data]).toEqual([200, { id: second.id, deleted: true }]);
  expect((await api.get(`/packs/${id}`)).body.data).toMatchObject({ image_count: 2, images: [first, third] });
  const again = await api.delete(`/packs/${id}/images/${second.id}`);
  expect([again.status, again.body.error_code]).toEqual([404, "not_found"]);
  const gone = await api.delete(`/packs/${id}`);
  expect([gone.status, gone.body.data]).toEqual([200, { id, deleted: true }]);
  for (const response of [
    await api.get(`/packs/${id}`),
    await api.patch(`/packs/${id}`, { name: "a" }),
    await api.delete(`/packs/${id}`),
    await api.delete(`/packs/${id}/images/${first.id}`),
    await api.post(`/packs/${id}/images`, { image_url: "https://media.example.com/a.png" }),
  ]) {
    expect([response.status, response.body.error_code]).toEqual([404, "not_found"]);
  }
});

test("404 for an image of another pack, also of the caller", async () => {
  const { api } = await createTestTenant();
  const [one, two] = [await createPack(api), await createPack(api)];
  await insertImages(two.id, 1);
  const [image] = (await api.get(`/packs/${two.id}`)).body.data.images;
  expect((await api.delete(`/packs/${one.id}/images/${image.id}`)).status).toBe(404);
  expect((await api.get(`/packs/${two.id}`)).body.data.image_count).toBe(1);
});

async function attemptChanges(api: Tenant["api"], id: string, imageId: string) {
  return [
    await api.patch(`/packs/${id}`, { name: "Mine now" }),
    await api.delete(`/packs/${id}`),
    await api.post(`/packs/${id}/images`, { image_url: "https://media.example.com/a.png" }),
    await api.delete(`/packs/${id}/images/${imageId}`),
  ].map(({ status, body }) => [status, body.error_code]);
}

test("403 forbidden_pack for changes of another scope's public pack, which can be read", async () => {
  const [mine, theirs, alone] = [
    await createTestTenant(),
    await createTestTenant(),
    await createTestTenant({ personal: true }),
  ];
  const { id } = await createPack(theirs.api, { is_public: true });
  await insertImages(id, 1);
  const pack = (await theirs.api.get(`/packs/${id}`)).body.data;
  for (const { api } of [mine, alone]) {
    expect((await api.get(`/packs/${id}`)).body.data).toEqual(pack);
    expect(await attemptChanges(api, id, pack.images[0].id)).toEqual(Array(4).fill([403, "forbidden_pack"]));
  }
  expect((await theirs.api.get(`/packs/${id}`)).body.data).toEqual(pack);
});

test("404 not_found for another scope's private pack; every key of its workspace sees it", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const { id } = await createPack(theirs.api);
  await insertImages(id, 1);
  const pack = (await theirs.api.get(`/packs/${id}`)).body.data;
  expect((await mine.api.get(`/packs/${id}`)).status).toBe(404);
  expect(await attemptChanges(mine.api, id, pack.images[0].id)).toEqual(Array(4).fill([404, "not_found"]));
  expect(await listPacks(mine, { search: pack.name })).toMatchObject({ packs: [], total: 0 });
  const grant = createClient(await createTestKey(theirs, { kind: "grant" }));
  expect((await grant.get(`/packs/${id}`)).body.data).toEqual(pack);
});

test("200 lists own and public packs newest first, each once, or only own packs", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const word = newId();
  const made = [];
  for (const { api } of [mine, theirs, mine, theirs]) {
    made.push(await createPack(api, { name: `${word} ${made.length}`, is_public: made.length > 0 }));
  }
  const ids = made.map(({ id }) => id).reverse();
  expect(await listPacks(mine, { search: word })).toMatchObject({ total: 4, limit: 20, offset: 0 });
  expect(getIds(await listPacks(mine, { search: word }))).toEqual(ids);
  expect(getIds(await listPacks(mine, { search: word, include_public: "true" }))).toEqual(ids);
  const own = await listPacks(mine, { search: word, include_public: "false" });
  expect([getIds(own), own.total]).toEqual([[made[2].id, made[0].id], 2]);
  expect(getIds(await listPacks(theirs, { search: word }))).toEqual(ids.slice(0, 3));
});

test("200 lists the first 10 images of each pack and their number", async () => {
  const tenant = await createTestTenant();
  const [many, few] = [await createPack(tenant.api), await createPack(tenant.api)];
  const urls = await insertImages(many.id, 12);
  await insertImages(few.id, 1);
  const found = await listPacks(tenant, { include_public: "false" });
  expect(getIds(found)).toEqual([few.id, many.id]);
  const [shownFew, shownMany] = found.packs;
  expect([shownFew.image_count, shownFew.images.length]).toEqual([1, 1]);
  expect(shownMany.image_count).toBe(12);
  expect(shownMany.images.map(({ url }: { url: string }) => url)).toEqual(urls.slice(0, 10));
  const whole = (await tenant.api.get(`/packs/${many.id}`)).body.data;
  expect(whole.images.map(({ url }: { url: string }) => url)).toEqual(urls);
  expect(shownMany.images).toEqual(whole.images.slice(0, 10));
});

test("200 orders packs of the same instant by id, in pages without overlap or gaps", async () => {
  const tenant = await createTestTenant();
  const made = await Promise.all(Array.from({ length: 5 }, () => createPack(tenant.api)));
  for (const { id } of made) await setCreatedAt("packs", id, "2026-05-01T12:00:00.000Z");
  const ids = [];
  for (const offset of ["0", "2", "4", "6"]) {
    const page = await listPacks(tenant, { include_public: "false", limit: "2", offset });
    expect([page.total, page.limit, page.offset]).toEqual([5, 2, Number(offset)]);
    ids.push(...getIds(page));
  }
  expect(ids).toEqual(made.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1)));
});

test("200 search matches a part of the name in any case, with %, _ and \\ as literals", async () => {
  const tenant = await createTestTenant();
  for (const name of ["Beach 100%", "BEACH 1000", "a_b", "axb"]) await createPack(tenant.api, { name });
  const found = async (search: string) => {
    const { packs } = await listPacks(tenant, { search, include_public: "false" });
    return packs.map(({ name }: { name: string }) => name).toSorted();
  };
  expect(await found("beach")).toEqual(["BEACH 1000", "Beach 100%"]);
  expect(await found("100%")).toEqual(["Beach 100%"]);
  expect(await found("A_B")).toEqual(["a_b"]);
  expect(await found("\\")).toEqual([]);
});

test("images are found for readable packs only, in the order of insertion", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const [own, empty, shared, hidden] = [
    await createPack(mine.api),
    await createPack(mine.api),
    await createPack(theirs.api, { is_public: true }),
    await createPack(theirs.api),
  ];
  const wanted = new Map<string, { url: string }[]>([[empty.id, []]]);
  for (const { id } of [own, shared, hidden]) {
    const urls = await insertImages(id, 3);
    if (id !== hidden.id)
      wanted.set(
        id,
        urls.map((url) => ({ url })),
      );
  }
  const scope = { ...mine, id: mine.workspaceId ?? mine.ownerId };
  const ids = [own, empty, shared, hidden].map(({ id }) => id);
  expect(await findPackImages(openTestDatabase(), scope, [...ids, newId()])).toEqual(wanted);
  expect(await findPackImages(openTestDatabase(), scope, [])).toEqual(new Map());
});

test("a repeated execution finds the pack and the image of the first", async () => {
  const tenant = await createTestTenant();
  const scope = { ...tenant, id: tenant.workspaceId ?? tenant.ownerId };
  const pack = { id: newId(), name: "Again", isPublic: false, createdAt: new Date() };
  const insert = () => insertPack(openTestDatabase(), scope, pack);
  const first = await insert();
  expect(await insert()).toEqual(first);
  const picture = { contentType: "image/png", width: 1, height: 2 };
  const image = {
    id: newId(),
    url: "https://media.example.com/a.png",
    fileName: "a.png",
    ...picture,
    createdAt: new Date(),
  };
  const add = () => insertPackImage(openTestDatabase(), scope, pack.id, image);
  const added = await add();
  expect(added).toMatchObject({ id: image.id, width: 1, height: 2 });
  expect(await add()).toEqual(added);
  expect((await findPack(openTestDatabase(), scope, pack.id))?.imageCount).toBe(1);
  const stranger = await createTestTenant();
  const elsewhere = { ...stranger, id: stranger.workspaceId ?? stranger.ownerId };
  expect(await insertPackImage(openTestDatabase(), elsewhere, pack.id, { ...image, id: newId() })).toBeNull();
  expect(await deletePackImage(openTestDatabase(), elsewhere, pack.id, image.id)).toBe(false);
  expect(await updatePack(openTestDatabase(), elsewhere, pack.id, { name: "Taken" }, new Date())).toBeNull();
  expect(await deletePack(openTestDatabase(), elsewhere, pack.id)).toBe(false);
  expect(await findPack(openTestDatabase(), scope, pack.id)).toMatchObject({ name: "Again", imageCount: 1 });
});
