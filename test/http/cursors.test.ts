// Every list by cursor: rows that come or go while somebody pages are neither shown twice nor skipped.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { at } from "../../lib/shared/at.ts";
import { createFolder, insertFiles, insertSlideshows } from "../folders/factories.ts";
import { createPack } from "../slideshows/factories.ts";
import { createTestAccount, createTestTenant, queryRows, type Tenant, type TestResponse } from "../support/harness.ts";
import { endpoints } from "../support/requests.ts";
import { createTemplate } from "../templates/factories.ts";

interface ListCase {
  path: string;
  /** The field of `data` that holds the rows. */
  field: string;
  /** Adds one row, the newest, and returns its id. */
  add(tenant: Tenant): Promise<string>;
  remove(tenant: Tenant, id: string): Promise<unknown>;
  /** The status of an invalid cursor. */
  invalid: number;
  /** The parameters of every page. */
  query?: string;
}

const createPost = async (tenant: Tenant): Promise<string> => {
  const [known] = (await tenant.api.get("/accounts")).body.data.accounts;
  const account = known ?? (await createTestAccount(tenant, "bluesky"));
  const scheduled_at = "2036-01-01T00:00:00Z";
  const response = await tenant.api.post("/posts", { caption: newId(), accounts: [{ id: account.id }], scheduled_at });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data.id;
};

const deleteAt = (path: string) => (tenant: Tenant, id: string) => tenant.api.delete(`${path}/${id}`);

/** The folder that each tenant of the items' case fills. */
const folders = new Map<string, string>();
const getFolder = async (tenant: Tenant): Promise<string> => {
  const id = folders.get(tenant.ownerId) ?? (await createFolder(tenant)).id;
  folders.set(tenant.ownerId, id);
  return id;
};

const LISTS: Record<string, ListCase> = {
  "posts.list": {
    path: "/posts",
    field: "posts",
    add: createPost,
    remove: (tenant, id) => tenant.api.post("/posts/delete", { post_ids: [id] }),
    invalid: 422,
  },
  "files.list": {
    path: "/files",
    field: "files",
    add: async (tenant) => at(await insertFiles(tenant, 1, "upload"), 0),
    remove: deleteAt("/files"),
    invalid: 400,
  },
  "slideshows.list": {
    path: "/slideshows",
    field: "slideshows",
    add: async (tenant) => at(await insertSlideshows(tenant, [null]), 0),
    remove: deleteAt("/slideshows"),
    invalid: 422,
  },
  "templates.list": {
    path: "/templates",
    field: "templates",
    add: async ({ api }) => (await createTemplate(api, { name: `In pages ${newId()}` })).id,
    remove: deleteAt("/templates"),
    invalid: 422,
    // Public templates of other tests are listed too.
    query: "search=In%20pages",
  },
  "packs.list": {
    path: "/packs",
    field: "packs",
    add: (tenant) => createPack(tenant, [], false),
    remove: deleteAt("/packs"),
    invalid: 422,
    query: "include_public=false",
  },
  "folders.list": {
    path: "/folders",
    field: "folders",
    add: async (tenant) => (await createFolder(tenant)).id,
    remove: deleteAt("/folders"),
    invalid: 400,
  },
  "folders.list-items": {
    path: "/folders/{folder}/items",
    field: "items",
    async add(tenant) {
      const [id = ""] = await insertFiles(tenant, 1, "upload");
      await tenant.api.post(`/folders/${await getFolder(tenant)}/items`, { item_ids: [id] });
      return id;
    },
    remove: async (tenant, id) =>
      tenant.api.call("DELETE", `/folders/${await getFolder(tenant)}/items`, { body: { item_ids: [id] } }),
    invalid: 400,
  },
  "analytics.list-targets": {
    path: "/analytics/targets",
    field: "targets",
    add: async ({ api }) => {
      const body = { platform: "tiktok", identifier: `t${newId().replaceAll("-", "").slice(8, 30)}` };
      return (await api.post("/analytics/targets", body)).body.data.target.id;
    },
    remove: deleteAt("/analytics/targets"),
    invalid: 400,
  },
};

/** Lists of which rows do not come and go through the API are tested below; those of the editor and of webhooks in their folders. */
const OTHERS = [
  "analytics.summary-posts",
  "editor.list",
  "requests.list",
  "viral-library.search",
  "webhooks.deliveries",
];

/** The names of a query, whatever is checked or renamed afterwards. */
function listNames(query: z.ZodType | undefined): string[] {
  if (query instanceof z.ZodPipe) return listNames(query.in as z.ZodType);
  return query instanceof z.ZodObject ? Object.keys(query.shape) : [];
}

test("every list that takes an offset takes a cursor", () => {
  const taking = (name: string) =>
    endpoints.filter(({ spec }) => listNames(spec.query).includes(name)).map(({ id }) => id);
  expect(taking("offset").filter((id) => !taking("cursor").includes(id))).toEqual([]);
  expect(taking("cursor").toSorted()).toEqual([...Object.keys(LISTS), ...OTHERS].toSorted());
});

describe.each(Object.entries(LISTS))("%s", (_id, { path, field, add, remove, invalid, query = "" }) => {
  async function readPage(tenant: Tenant, more: string) {
    const filled = path.includes("{folder}") ? path.replace("{folder}", await getFolder(tenant)) : path;
    const { status, body } = await tenant.api.get(`${filled}?${[query, more].filter(Boolean).join("&")}`);
    return { status, body, ids: (body.data?.[field] ?? []).map(({ id }: { id: string }) => id) as string[] };
  }

  test("200 in pages while the newest rows come and listed ones go", async () => {
    const tenant = await createTestTenant();
    const ids: string[] = [];
    for (let made = 0; made < 7; made++) ids.unshift(await add(tenant));
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let page = 0; cursor !== null; page++) {
      const { status, ids: shown, body } = await readPage(tenant, `limit=2${cursor ? `&cursor=${cursor}` : ""}`);
      expect(status).toBe(200);
      seen.push(...shown);
      cursor = body.data.next_cursor;
      expect(shown.length).toBe(cursor === null ? 1 : 2);
      await add(tenant);
      // The last row of the page goes too: the cursor still names its place.
      if (page === 1) await remove(tenant, at(shown, 1));
    }
    expect(seen).toEqual(ids);
  });

  test("next_cursor is null at the end, also after a full page; total counts all pages", async () => {
    const tenant = await createTestTenant();
    const ids = [await add(tenant), await add(tenant)].toReversed();
    const all = await readPage(tenant, "limit=2");
    expect([all.ids, all.body.data.next_cursor]).toEqual([ids, null]);
    const first = await readPage(tenant, "limit=1");
    const second = await readPage(tenant, `limit=1&cursor=${first.body.data.next_cursor}`);
    expect([second.ids, second.body.data.next_cursor]).toEqual([ids.slice(1), null]);
    if ("total" in all.body.data) expect(second.body.data.total).toBe(2);
  });

  test(`${invalid} for a cursor that no page returned`, async () => {
    const tenant = await createTestTenant();
    await add(tenant);
    for (const cursor of ["", "abc", btoa("[1]"), btoa(JSON.stringify([1, "x"])), "a".repeat(600)]) {
      const { status, body } = await readPage(tenant, `cursor=${cursor}`);
      expect([cursor, status]).toEqual([cursor, invalid]);
      expect(Object.keys(body.issues.fieldErrors)).toEqual(["cursor"]);
    }
  });
});

test("posts by cursor keep their filters, and a limit out of range is clamped", async () => {
  const tenant = await createTestTenant();
  const ids: string[] = [];
  for (let made = 0; made < 3; made++) ids.unshift(await createPost(tenant));
  const first = (await tenant.api.get("/posts?status=scheduled&limit=0")).body.data;
  expect(first.posts.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 1));
  const rest = (await tenant.api.get(`/posts?status=scheduled&cursor=${first.next_cursor}`)).body.data;
  expect([rest.posts.map(({ id }: { id: string }) => id), rest.summary.total]).toEqual([ids.slice(1), 3]);
});

test("requests by cursor are neither repeated nor skipped while new ones arrive", async () => {
  const tenant = await createTestTenant();
  for (let sent = 0; sent < 5; sent++) await tenant.api.get(`/files?limit=${sent + 1}`);
  const all = (await tenant.api.get("/requests")).body.data.requests as { request_id: string }[];
  expect(all).toHaveLength(5);
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: TestResponse = await tenant.api.get(`/requests?limit=2${cursor ? `&cursor=${cursor}` : ""}`);
    const { data } = page.body;
    seen.push(...data.requests.map(({ request_id }: { request_id: string }) => request_id));
    cursor = data.next_cursor;
    expect(data.has_more).toBe(cursor !== null);
    await tenant.api.get("/files");
  }
  expect(seen).toEqual(all.map(({ request_id }) => request_id));
});

test("posts of the analytics summary by cursor, in every order", async () => {
  const tenant = await createTestTenant();
  const { target } = (await tenant.api.post("/analytics/targets", { platform: "tiktok", identifier: "tea" })).body.data;
  const rows = Array.from({ length: 7 }, (_, at) => ({ id: newId(), at, views: [0, 5, 5, 9, 9, 9, 30][at] }));
  await queryRows(sql`
    insert into analytics_posts (id, target_id, platform_post_id, kind, published_at, caption, views, likes, comments, shares, saves)
    select r.id, ${target.id}, r.id::text, 'video', now() - r.at * interval '1 hour', '', r.views, r.at, 0, 0, 0
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(id uuid, at int, views int) returning id`);
  for (const sortBy of ["publishedAt", "views", "likes", "engagementRate"]) {
    for (const sortOrder of ["asc", "desc"]) {
      const path = `/analytics/summary/posts?range=30d&sortBy=${sortBy}&sortOrder=${sortOrder}`;
      const all = (await tenant.api.get(path)).body.data.posts.map(({ id }: { id: string }) => id);
      expect(all).toHaveLength(7);
      const seen: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const page: TestResponse = await tenant.api.get(`${path}&limit=3${cursor ? `&cursor=${cursor}` : ""}`);
        const { data } = page.body;
        seen.push(...data.posts.map(({ id }: { id: string }) => id));
        cursor = data.next_cursor;
        expect([data.totalCount, data.hasMore]).toEqual([7, cursor !== null]);
      }
      expect([sortBy, sortOrder, seen]).toEqual([sortBy, sortOrder, all]);
    }
  }
  const { next_cursor } = (await tenant.api.get("/analytics/summary/posts?limit=1&sortBy=views")).body.data;
  const other = await tenant.api.get(`/analytics/summary/posts?cursor=${next_cursor}&sortBy=likes`);
  expect([other.status, other.body.issues.fieldErrors.cursor]).toEqual([400, [expect.stringContaining("sortBy")]]);
});
