// Templates that a scope may read: its own, and public ones.
import { and, desc, eq, gte, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { slideshows, templates } from "../../drizzle/schema/slideshows.ts";
import type { TemplateConfig } from "../schemas/template.ts";
import { MAX_TEMPLATE_NAME_LENGTH } from "../schemas/template.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import type { Scope } from "../shared/scope.ts";
import { isAfterCursor, type Paging, toPage, toRowPosition } from "./paging.ts";
import { type Read, readFirst, toRead } from "./read.ts";
import { inScope } from "./scope.ts";
import { columnNames, ilikeContains, instant, json, type RowOf, rawCommand, rawQuery } from "./sql.ts";

/**
 * A template belongs to its scope, not to a key: every key and grant of a workspace owns the workspace's templates, and
 * a personal key those of its owner.
 */
const columns = (scope: Scope) => ({
  id: templates.id,
  name: templates.name,
  description: templates.description,
  visibility: templates.visibility,
  previewUrl: templates.previewUrl,
  useCount: templates.useCount,
  lastUsedAt: templates.lastUsedAt,
  createdAt: templates.createdAt,
  updatedAt: templates.updatedAt,
  isOwner: sql<boolean>`${inScope(templates, scope)}`,
  config: sql<TemplateConfig>`${templates.config}`,
});
export type StoredTemplate = RowOf<ReturnType<typeof columns>>;

const isOwn = (scope: Scope, id: string): SQL | undefined => and(inScope(templates, scope), eq(templates.id, id));

export const isReadableTemplate = (scope: Scope, id: string): SQL | undefined =>
  and(eq(templates.id, id), or(inScope(templates, scope), eq(templates.visibility, "public")));

export function findTemplate(db: ReadOnlyDb, scope: Scope, id: string): Read<StoredTemplate | null> {
  return readFirst(db, db.select(columns(scope)).from(templates).where(isReadableTemplate(scope, id)));
}

export interface TemplateFilter extends Paging {
  /** A substring of the name, ignoring case. */
  search?: string | undefined;
  createdSince?: Date | undefined;
  createdUntil?: Date | undefined;
}

/** One page, newest first, the total count and the cursor of the next page. */
export function listTemplates(
  db: ReadOnlyDb,
  scope: Scope,
  { search, createdSince, createdUntil, limit, offset, cursor }: TemplateFilter,
): Read<{ rows: StoredTemplate[]; total: number; nextCursor: string | null }> {
  const isFound = and(
    search ? ilikeContains(sql`${templates.name}`, search) : undefined,
    createdSince && gte(templates.createdAt, createdSince),
    createdUntil && lte(templates.createdAt, createdUntil),
  );
  const own = and(inScope(templates, scope), isFound);
  const others = and(eq(templates.visibility, "public"), ne(templates.scopeId, scope.id), isFound);
  const newest = [desc(templates.createdAt), desc(templates.id)];
  // Each part of the union uses its own index and reads at most offset + limit + 1 rows.
  const half = (where: SQL | undefined) =>
    db
      .select()
      .from(templates)
      .where(and(where, isAfterCursor(templates.createdAt, templates.id, cursor)))
      .orderBy(...newest)
      .limit(limit + offset + 1);
  const count = (where: SQL | undefined) => sql`(select count(*) from ${templates} where ${where})`;
  return toRead(
    db,
    [
      rawQuery(
        db,
        columns(scope),
        (fields) => sql`
        select ${fields} from (${half(own)} union all ${half(others)}) ${templates}
        order by ${sql.join(newest, sql`, `)} limit ${limit + 1} offset ${offset}`,
      ),
      rawQuery(db, { total: sql<number>`(${count(own)} + ${count(others)})::int` }, (fields) => sql`select ${fields}`),
    ],
    ([rows, counts]) => ({ ...toPage(rows, limit, toRowPosition), total: at(counts, 0).total }),
  );
}

export interface NewTemplate {
  id: string;
  name: string;
  /** A name in use gets a number appended; without this nothing is inserted. */
  numberIfTaken: boolean;
  description: string | null;
  visibility: "private" | "workspace";
  previewUrl: string | null;
  config: TemplateConfig;
  createdAt: Date;
}

/** Held until the transaction ends, so that concurrent inserts cannot use the same name. */
const lockNames = (db: Db, scope: Scope) =>
  rawCommand(db, sql`select pg_advisory_xact_lock(hashtextextended(${`templates:${scope.id}`}::text, 0))`);

const other = alias(templates, "other");
const namesOfScope = (scope: Scope) => sql`from ${templates} ${other} where ${inScope(other, scope)}`;

/** The name, then the name truncated as needed with (2), (3) and so on appended. */
const nextFreeName = (scope: Scope, name: string) => sql`
  select c.name from (
    select n, case when n = 1 then ${name}::text
      else rtrim(left(${name}::text, ${MAX_TEMPLATE_NAME_LENGTH} - length(' (' || n || ')'))) || ' (' || n || ')' end as name
    from generate_series(1, (select count(*)::int ${namesOfScope(scope)}) + 1) n
  ) c where c.name not in (select ${other.name} ${namesOfScope(scope)}) order by c.n limit 1`;

const exactName = (scope: Scope, name: string) => sql`
  select ${name}::text as name where not exists (select 1 ${namesOfScope(scope)} and ${other.name} = ${name})`;

/** Null if the name is taken. An existing id means that the request is a retry. */
export async function insertTemplate(db: Db, scope: Scope, template: NewTemplate): Promise<StoredTemplate | null> {
  const { id, name, description, visibility, previewUrl, config, createdAt } = template;
  const table = templates;
  const owner = [table.id, table.ownerId, table.workspaceId, table.name, table.description, table.visibility];
  const inserted = columnNames([...owner, table.previewUrl, table.config, table.createdAt, table.updatedAt]);
  const [, [row]] = await db.batch([
    lockNames(db, scope),
    rawQuery(
      db,
      columns(scope),
      (fields) => sql`
        with free as (${template.numberIfTaken ? nextFreeName(scope, name) : exactName(scope, name)}), made as (
          insert into ${templates} (${inserted})
          select ${id}::uuid, ${scope.ownerId}::uuid, ${scope.workspaceId}::uuid, free.name, ${description}, ${visibility},
            ${previewUrl}, ${json(config)}, ${instant(createdAt)}, ${instant(createdAt)}
          from free on conflict (id) do nothing returning *
        )
        select ${fields} from made ${templates}
        union all
        select ${fields} from ${templates} where ${isOwn(scope, id)}`,
    ),
  ]);
  return row ?? null;
}

export interface TemplateChange {
  name?: string | undefined;
  description?: string | null | undefined;
  visibility?: NewTemplate["visibility"] | undefined;
  config?: TemplateConfig | undefined;
}

/** Null if the template does not belong to the scope. */
export async function updateTemplate(
  db: Db,
  scope: Scope,
  id: string,
  change: TemplateChange,
  now: Date,
): Promise<StoredTemplate | "name_taken" | null> {
  const { name } = change;
  const isFree =
    name === undefined
      ? undefined
      : sql`not exists (select 1 ${namesOfScope(scope)} and ${other.name} = ${name} and ${other.id} <> ${templates.id})`;
  const [, [changed], found] = await db.batch([
    lockNames(db, scope),
    db
      .update(templates)
      .set({ ...change, updatedAt: now })
      .where(and(isOwn(scope, id), isFree))
      .returning(columns(scope)),
    db.select({ id: templates.id }).from(templates).where(isOwn(scope, id)),
  ]);
  return changed ?? (found.length > 0 ? "name_taken" : null);
}

/** False if the template does not belong to the scope. */
export async function deleteTemplate(db: Db, scope: Scope, id: string): Promise<boolean> {
  const deleted = await db.delete(templates).where(isOwn(scope, id)).returning({ id: templates.id });
  return deleted.length > 0;
}

/** Counts one use of a template that the scope may read; await it, or pass it to `db.batch`. */
export function countTemplateUse(db: Db, scope: Scope, id: string, now: Date) {
  return db
    .update(templates)
    .set({ useCount: sql`${templates.useCount} + 1`, lastUsedAt: now })
    .where(isReadableTemplate(scope, id))
    .returning({ id: templates.id });
}

/** The slideshow that a template is made from. */
export async function findTemplateSource(db: ReadOnlyDb, scope: Scope, slideshowId: string) {
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
    .where(and(inScope(slideshows, scope), eq(slideshows.id, slideshowId)));
  return row ?? null;
}
