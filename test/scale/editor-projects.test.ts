// Paging through ten thousand projects during edits: unedited projects are listed once, none twice.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProject, listProjects, saveProject } from "../../lib/queries/editor.ts";
import { insertKey, insertOwner, insertWorkspace, savePlan, type TenantIds } from "../../lib/queries/tenants.ts";
import type { Db } from "../../lib/services/database.ts";
import type { Database } from "../local/database.ts";
import { type Client, createClient } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { explainQueries } from "../support/query-plans.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";

const COUNT = 10_000;
const EDITED = {
  assets: [],
  clips: [],
  text_clips: [],
  undo: null,
  render: { status: "none", url: null, rendered_at: null },
};

let database: Database;
let db: Db;
let api: Client;
let scope: { id: string; ownerId: string; workspaceId: string | null };
let env: Record<string, string>;

/** Projects of one scope; 100 at a time have the same updated_at. */
async function insertProjects(owner: TenantIds, count: number): Promise<void> {
  await database.query(
    `insert into editor_projects (id, owner_id, workspace_id, title, aspect_ratio, document, updated_at)
      select gen_random_uuid(), $1, $2, 'Project ' || n, '9:16', $3::jsonb,
        date_trunc('milliseconds', now()) - (n / 100) * interval '1 second' from generate_series(1, $4::int) n`,
    [owner.ownerId, owner.workspaceId, JSON.stringify(EDITED), count],
  );
}

beforeAll(async () => {
  ({ database, db, config: env } = await openSeparateDatabase("test"));
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "List" });
  const [mine, other] = [
    await insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Mine" }),
    await insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Other" }),
  ];
  await savePlan(db, mine, newId(), { tier: "creator", status: "active", paidUntil: null });
  const token = await insertKey(db, mine, { id: newId(), name: "k", kind: "key", expiresAt: null });
  api = createClient(token);
  scope = { id: mine.workspaceId ?? "", ownerId: mine.ownerId, workspaceId: mine.workspaceId };
  await insertProjects(mine, COUNT);
  await insertProjects(other, COUNT);
  await database.exec("analyze");
}, 120_000);

afterAll(() => database.close());

async function readPage(cursor: string | null, limit: number) {
  const query = cursor ? `limit=${limit}&cursor=${cursor}` : `limit=${limit}`;
  const response = await api.get(`/editor/projects?${query}`, { env });
  expect(response.status).toBe(200);
  return response.body.data as {
    projects: { project_id: string; title: string; updated_at: string }[];
    pagination: { next_cursor: string | null; has_more: boolean };
  };
}

test("200 lists 10,000 projects during edits without skipping unedited ones or repeating any", async () => {
  const all = await database.query<{ id: string }>("select id from editor_projects where scope_id = $1", [scope.id]);
  const edited = new Set<string>();
  const seen: string[] = [];
  let cursor: string | null = null;
  let more = true;
  for (let turn = 0; more; turn++) {
    const { projects, pagination } = await readPage(cursor, 50);
    seen.push(...projects.map(({ project_id }) => project_id));
    expect(projects.length).toBe(pagination.has_more ? 50 : projects.length);
    expect(pagination.next_cursor === null).toBe(!pagination.has_more);
    cursor = pagination.next_cursor;
    more = pagination.has_more;
    // Edits listed projects, including the last of the page, and one that is not listed yet.
    for (const id of [projects.at(turn % 2 === 0 ? -1 : 3)?.project_id, all[(turn * 37) % COUNT]?.id]) {
      const project = id ? await findProject(db, scope, id) : null;
      if (!project || turn % 3 === 2) continue;
      const activity = { kind: "edited" as const, note: null, actor: "test" };
      const written = { title: "Edited", document: project.document, transcript: null, activity, now: new Date() };
      expect(await saveProject(db, scope, project, written)).toMatchObject({ outcome: "done" });
      edited.add(project.id);
    }
  }
  expect(new Set(seen).size).toBe(seen.length);
  const missed = all.filter(({ id }) => !seen.includes(id) && !edited.has(id));
  expect(missed).toEqual([]);
  expect(edited.size).toBeGreaterThan(100);
}, 120_000);

test("200 most recently edited first; any warm page takes 1 round trip and uses the index", async () => {
  const first = await readPage(null, 20);
  const order = first.projects.map(({ updated_at, project_id }) => `${updated_at} ${project_id}`);
  expect(order).toEqual(order.toSorted().toReversed());
  for (const cursor of [null, first.pagination.next_cursor]) {
    const requestId = newId();
    const query = cursor ? `?cursor=${cursor}` : "";
    const { result, cost } = await measureCost(requestId, () =>
      api.get(`/editor/projects${query}`, { env, headers: { "X-Request-Id": requestId } }),
    );
    expect([result.status, cost.round_trips, result.body.data.projects.length]).toEqual([200, 1, 20]);
  }
  const middle = { at: new Date(Date.now() - 50_000), id: newId() };
  for (const cursor of [undefined, middle]) {
    const [plan] = await explainQueries(database, () => listProjects(db, scope, { limit: 20, cursor }));
    expect(plan?.scanned).toEqual([]);
    expect(plan?.indexes).toEqual(["editor_projects_scope_newest"]);
    expect(plan?.sorted).toBe(false);
  }
});

test("200 the last page has has_more false and next_cursor null, even when it is full", async () => {
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Few" });
  await savePlan(db, owner, newId(), { tier: "creator", status: "active", paidUntil: null });
  const few = createClient(await insertKey(db, owner, { id: newId(), name: "k", kind: "key", expiresAt: null }));
  await insertProjects(owner, 4);
  const list = async (query: string) => (await few.get(`/editor/projects?${query}`, { env })).body.data;
  const half = await list("limit=2");
  expect([half.projects.length, half.pagination.has_more]).toEqual([2, true]);
  const rest = await list(`limit=2&cursor=${half.pagination.next_cursor}`);
  expect(rest.pagination).toEqual({ next_cursor: null, has_more: false });
  expect((await list("limit=4")).pagination).toEqual({ next_cursor: null, has_more: false });
  expect(Object.keys(rest.projects[0])).toEqual(["project_id", "title", "aspect_ratio", "updated_at"]);
});

test("422 invalid_payload for an invalid limit or cursor", async () => {
  const { next_cursor } = (await readPage(null, 1)).pagination;
  for (const [query, field] of [
    ["limit=0", "limit"],
    ["limit=51", "limit"],
    ["limit=1.5", "limit"],
    ["limit=ten", "limit"],
    ["limit=", "limit"],
    ["cursor=", "cursor"],
    ["cursor=abc", "cursor"],
    [`cursor=${next_cursor}x`, "cursor"],
    [`cursor=${btoa(JSON.stringify([999999999999999, newId()]))}`, "cursor"],
    [`cursor=${btoa("x".repeat(60))}`, "cursor"],
    [`cursor=${next_cursor}&cursor=${next_cursor}`, "cursor"],
  ] as const) {
    const response = await api.get(`/editor/projects?${query}`, { env });
    expect([query, response.status, response.body.error_code]).toEqual([query, 422, "invalid_payload"]);
    expect(Object.keys(response.body.issues.fieldErrors)).toEqual([field]);
  }
});
