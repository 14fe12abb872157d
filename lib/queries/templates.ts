// Templates that a scope may read: its own, and everybody's public ones.
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import { slideshows, templates } from "../../drizzle/schema/slideshows.ts";
import { type Db, rowsOf } from "../db.ts";
import type { Template, TemplateConfig, TemplatePatch, TemplateQuery } from "../schemas/template.ts";
import { TEMPLATE_NAME_AT_MOST } from "../schemas/template.ts";
import type { Scope } from "../scope.ts";
import { contains } from "./search.ts";

/**
 * The owner of a template is its scope: keys come and go with the people who made them, so every key and grant of a
 * workspace owns the workspace's templates, and a personal key those of its owner.
 */
const columns = (scope: Scope) => sql`
  t.id, t.name, t.description, t.visibility, t.preview_url, t.use_count, t.last_used_at, t.created_at, t.updated_at,
  t.scope_id = ${scope.id} as is_owner, t.config`;

export async function find(db: Db, scope: Scope, id: string): Promise<Template | null> {
  const found = await db.execute(sql`
    select ${columns(scope)} from templates t
    where t.id = ${id} and (t.scope_id = ${scope.id} or t.visibility = 'public')`);
  return rowsOf<Template>(found)[0] ?? null;
}

/** One page, newest created first, and how many there are. */
export async function list(db: Db, scope: Scope, query: TemplateQuery): Promise<{ rows: Template[]; total: number }> {
  const { search, created_since: since, created_until: until, limit, offset } = query;
  const filters = sql.join(
    [
      ...(search ? [sql` and ${contains(sql`t.name`, search)}`] : []),
      ...(since ? [sql` and t.created_at >= ${since.toISOString()}`] : []),
      ...(until ? [sql` and t.created_at <= ${until.toISOString()}`] : []),
    ],
    sql``,
  );
  const own = sql`t.scope_id = ${scope.id}${filters}`;
  const others = sql`t.visibility = 'public' and t.scope_id <> ${scope.id}${filters}`;
  const newest = sql`order by t.created_at desc, t.id desc`;
  // Each half reads its rows in the order of an index of its own, and no more of them than the page can need.
  const half = (where: SQL) => sql`(select t.* from templates t where ${where} ${newest} limit ${limit + offset})`;
  const count = (where: SQL) => sql`(select count(*) from templates t where ${where})`;
  const [page, counted] = await db.batch([
    db.execute(sql`select ${columns(scope)} from (${half(own)} union all ${half(others)}) t
      ${newest} limit ${limit} offset ${offset}`),
    db.execute(sql`select (${count(own)} + ${count(others)})::int as total`),
  ]);
  return { rows: rowsOf<Template>(page), total: rowsOf<{ total: number }>(counted)[0]?.total ?? 0 };
}

export interface NewTemplate {
  id: string;
  name: string;
  /** Whether a name that is taken gets a number, or the template is not made. */
  numbered: boolean;
  description: string | null;
  visibility: "private" | "workspace";
  previewUrl: string | null;
  config: TemplateConfig;
  createdAt: Date;
}

/** Held until the transaction ends, so that of two templates that want one name the second sees the first. */
const lockNames = (scope: Scope) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`templates:${scope.id}`}::text, 0))`;

/** The name itself, then with (2), (3) and so on behind as much of it as there is room for. */
const numbered = (scope: Scope, name: string) => sql`
  select c.name from (
    select n, case when n = 1 then ${name}::text
      else rtrim(left(${name}::text, ${TEMPLATE_NAME_AT_MOST} - length(' (' || n || ')'))) || ' (' || n || ')' end as name
    from generate_series(1, (select count(*)::int from templates o where o.scope_id = ${scope.id}) + 1) n
  ) c where c.name not in (select o.name from templates o where o.scope_id = ${scope.id}) order by c.n limit 1`;

const exactly = (scope: Scope, name: string) => sql`
  select ${name}::text as name
  where not exists (select 1 from templates o where o.scope_id = ${scope.id} and o.name = ${name})`;

/** Null when the name is taken. An id that is there already is that of a request which is repeated. */
export async function insert(db: Db, scope: Scope, template: NewTemplate): Promise<Template | null> {
  const { id, name, description, visibility, previewUrl, config } = template;
  const at = template.createdAt.toISOString();
  const [, stored] = await db.batch([
    db.execute(lockNames(scope)),
    db.execute(sql`
      with free as (${template.numbered ? numbered(scope, name) : exactly(scope, name)}), made as (
        insert into templates (id, owner_id, workspace_id, name, description, visibility, preview_url, config,
          created_at, updated_at)
        select ${id}::uuid, ${scope.ownerId}::uuid, ${scope.workspaceId}::uuid, free.name, ${description}, ${visibility},
          ${previewUrl}, ${JSON.stringify(config)}::jsonb, ${at}::timestamptz, ${at}::timestamptz
        from free on conflict (id) do nothing returning *
      )
      select ${columns(scope)} from made t
      union all
      select ${columns(scope)} from templates t where t.scope_id = ${scope.id} and t.id = ${id}`),
  ]);
  return rowsOf<Template>(stored)[0] ?? null;
}

/** Null when no such template belongs to the scope. */
export async function update(
  db: Db,
  scope: Scope,
  id: string,
  patch: TemplatePatch,
  now: Date,
): Promise<Template | "name_taken" | null> {
  const { name, description, visibility, config } = patch;
  const changes: SQL[] = [
    sql`updated_at = ${now.toISOString()}`,
    ...(name === undefined ? [] : [sql`name = ${name}`]),
    ...(description === undefined ? [] : [sql`description = ${description}`]),
    ...(visibility === undefined ? [] : [sql`visibility = ${visibility}`]),
    ...(config === undefined ? [] : [sql`config = ${JSON.stringify(config)}::jsonb`]),
  ];
  const free =
    name === undefined
      ? sql`true`
      : sql`not exists (
          select 1 from templates o where o.scope_id = ${scope.id} and o.name = ${name} and o.id <> t.id)`;
  const mine = sql`t.scope_id = ${scope.id} and t.id = ${id}`;
  const [, changed, there] = await db.batch([
    db.execute(lockNames(scope)),
    db.execute(sql`update templates t set ${sql.join(changes, sql`, `)} where ${mine} and ${free}
      returning ${columns(scope)}`),
    db.execute(sql`select 1 from templates t where ${mine}`),
  ]);
  return rowsOf<Template>(changed)[0] ?? (there.rows.length > 0 ? "name_taken" : null);
}

/** False when no such template belongs to the scope. */
export async function remove(db: Db, scope: Scope, id: string): Promise<boolean> {
  const gone = await db
    .delete(templates)
    .where(and(eq(templates.scopeId, scope.id), eq(templates.id, id)))
    .returning({ id: templates.id });
  return gone.length > 0;
}

/** Counts one use of a template that the scope may read; awaited by itself, or as one part of a batch. */
export function use(db: Db, scope: Scope, id: string, now: Date) {
  return db
    .update(templates)
    .set({ useCount: sql`${templates.useCount} + 1`, lastUsedAt: now })
    .where(and(eq(templates.id, id), or(eq(templates.scopeId, scope.id), eq(templates.visibility, "public"))))
    .returning({ id: templates.id });
}

/** The slideshow that a template is made from. */
export async function findSource(db: Db, scope: Scope, slideshowId: string) {
  const [row] = await db
    .select({
      title: slideshows.title,
      slideshowType: slideshows.slideshowType,
      productId: slideshows.productId,
      settings: slideshows.settings,
      slides: slideshows.slides,
      originalPrompt: slideshows.originalPrompt,
      generation: slideshows.generation,
      previewImageUrl: slideshows.previewImageUrl,
    })
    .from(slideshows)
    .where(and(eq(slideshows.scopeId, scope.id), eq(slideshows.id, slideshowId)));
  return row ?? null;
}
