// Image packs that a scope may read: its own, and everybody's public ones. Only its own can be changed.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { packs } from "../../drizzle/schema/packs.ts";
import { type Db, rowsOf } from "../db.ts";
import type { Pack, PackImage, PackPatch, PackQuery } from "../schemas/pack.ts";
import type { Scope } from "../scope.ts";
import { contains } from "./search.ts";

/** So that the answer of one pack stays of a size that can be sent. */
export const IMAGES_AT_MOST = 1_000;
const IMAGES_IN_LIST = 10;

/** The pack as answers show it, with the first `most` of its images. */
const columns = (most: number) => sql`
  p.id, p.name, p.is_public, p.created_at,
  (select count(*)::int from pack_images i where i.pack_id = p.id) as image_count,
  coalesce((
    select jsonb_agg(jsonb_build_object('id', i.id, 'url', i.url, 'file_name', i.file_name,
      'content_type', i.content_type, 'width', i.width, 'height', i.height, 'created_at', i.created_at)
      order by i.created_at, i.id)
    from (select * from pack_images i where i.pack_id = p.id order by i.created_at, i.id limit ${most}) i
  ), '[]') as images`;

const readable = (scope: Scope) => sql`(p.scope_id = ${scope.id} or p.is_public)`;

export async function find(db: Db, scope: Scope, id: string): Promise<Pack | null> {
  const found = await db.execute(sql`
    select ${columns(IMAGES_AT_MOST)} from packs p where p.id = ${id} and ${readable(scope)}`);
  return rowsOf<Pack>(found)[0] ?? null;
}

/** Whether the scope may change a pack that it can read; null when it cannot read one with this id. */
export async function findOwner(db: Db, scope: Scope, id: string): Promise<{ mine: boolean } | null> {
  const found = await db.execute(sql`
    select p.scope_id = ${scope.id} as mine from packs p where p.id = ${id} and ${readable(scope)}`);
  return rowsOf<{ mine: boolean }>(found)[0] ?? null;
}

/** One page, newest created first, and how many there are. */
export async function list(db: Db, scope: Scope, query: PackQuery): Promise<{ rows: Pack[]; total: number }> {
  const { search, include_public: everybodys, limit, offset } = query;
  const filter = search ? sql` and ${contains(sql`p.name`, search)}` : sql``;
  const readable = [
    sql`p.scope_id = ${scope.id}${filter}`,
    ...(everybodys ? [sql`p.is_public and p.scope_id <> ${scope.id}${filter}`] : []),
  ];
  const newest = sql`order by p.created_at desc, p.id desc`;
  // Each half reads its rows in the order of an index of its own, and no more of them than the page can need.
  const halves = readable.map(
    (where) => sql`(select p.* from packs p where ${where} ${newest} limit ${limit + offset})`,
  );
  const counts = readable.map((where) => sql`(select count(*) from packs p where ${where})`);
  const [page, counted] = await db.batch([
    // The page is cut before anything is counted or shown of its packs.
    db.execute(sql`
      select ${columns(IMAGES_IN_LIST)} from (
        select * from (${sql.join(halves, sql` union all `)}) p ${newest} limit ${limit} offset ${offset}
      ) p ${newest}`),
    db.execute(sql`select (${sql.join(counts, sql` + `)})::int as total`),
  ]);
  return { rows: rowsOf<Pack>(page), total: rowsOf<{ total: number }>(counted)[0]?.total ?? 0 };
}

export interface NewPack {
  id: string;
  name: string;
  isPublic: boolean;
  createdAt: Date;
}

/** An id that is there already is that of a request which is repeated. */
export async function insert(db: Db, scope: Scope, pack: NewPack): Promise<Pack> {
  const { ownerId, workspaceId } = scope;
  const [, stored] = await db.batch([
    db
      .insert(packs)
      .values({ ...pack, ownerId, workspaceId, updatedAt: pack.createdAt })
      .onConflictDoNothing(),
    db.execute(
      sql`select ${columns(IMAGES_AT_MOST)} from packs p where p.scope_id = ${scope.id} and p.id = ${pack.id}`,
    ),
  ]);
  const [row] = rowsOf<Pack>(stored);
  if (!row) throw new Error("the pack that was just inserted is not there");
  return row;
}

/** Null when no such pack belongs to the scope. */
export async function update(db: Db, scope: Scope, id: string, patch: PackPatch, now: Date): Promise<Pack | null> {
  const changes: SQL[] = [
    sql`updated_at = ${now.toISOString()}`,
    ...(patch.name === undefined ? [] : [sql`name = ${patch.name}`]),
    ...(patch.is_public === undefined ? [] : [sql`is_public = ${patch.is_public}`]),
  ];
  const changed = await db.execute(sql`
    update packs p set ${sql.join(changes, sql`, `)} where p.scope_id = ${scope.id} and p.id = ${id}
    returning ${columns(IMAGES_AT_MOST)}`);
  return rowsOf<Pack>(changed)[0] ?? null;
}

/** False when no such pack belongs to the scope. */
export async function remove(db: Db, scope: Scope, id: string): Promise<boolean> {
  const gone = await db
    .delete(packs)
    .where(and(eq(packs.scopeId, scope.id), eq(packs.id, id)))
    .returning({ id: packs.id });
  return gone.length > 0;
}

export interface NewImage {
  id: string;
  url: string;
  fileName: string;
  contentType: string;
  width: number;
  height: number;
  createdAt: Date;
}

/** Null when no such pack belongs to the scope. An id that is there already is that of a request which is repeated. */
export async function insertImage(
  db: Db,
  scope: Scope,
  packId: string,
  image: NewImage,
): Promise<PackImage | "full" | null> {
  const mine = sql`p.scope_id = ${scope.id} and p.id = ${packId}`;
  const [, inserted] = await db.batch([
    // Images are counted behind the lock: of two that want the last place, the second one sees the first.
    db.execute(sql`select 1 from packs p where ${mine} for no key update`),
    db.execute(sql`
      with pack as (
        select p.id, (select count(*) from pack_images i where i.pack_id = p.id) as images from packs p where ${mine}
      ), made as (
        insert into pack_images (id, pack_id, url, file_name, content_type, width, height, created_at)
        select ${image.id}::uuid, pack.id, ${image.url}, ${image.fileName}, ${image.contentType}, ${image.width}::int,
          ${image.height}::int, ${image.createdAt.toISOString()}::timestamptz
        from pack where pack.images < ${IMAGES_AT_MOST} on conflict (id) do nothing returning *
      ), stored as (
        select * from made union all select * from pack_images i where i.pack_id = ${packId} and i.id = ${image.id}
      )
      select s.id, s.url, s.file_name, s.content_type, s.width, s.height, s.created_at
      from pack left join stored s on true`),
  ]);
  const [row] = rowsOf<PackImage | { id: null }>(inserted);
  if (!row) return null;
  return row.id === null ? "full" : (row as PackImage);
}

/** False when the pack has no such image, or is not the scope's own. */
export async function removeImage(db: Db, scope: Scope, packId: string, imageId: string): Promise<boolean> {
  const gone = await db.execute(sql`
    delete from pack_images i using packs p
    where i.id = ${imageId} and i.pack_id = ${packId} and p.id = i.pack_id and p.scope_id = ${scope.id} returning i.id`);
  return gone.rows.length > 0;
}

/** The pictures of those of the packs that the scope may read, each pack's in its order. */
export async function findImages(db: Db, scope: Scope, packIds: string[]): Promise<Map<string, { url: string }[]>> {
  if (packIds.length === 0) return new Map();
  const found = await db.execute(sql`
    select p.id, coalesce(jsonb_agg(jsonb_build_object('url', i.url) order by i.created_at, i.id)
      filter (where i.id is not null), '[]') as images
    from packs p left join pack_images i on i.pack_id = p.id
    where p.id = any(${`{${packIds.join(",")}}`}::uuid[]) and ${readable(scope)} group by p.id`);
  return new Map(rowsOf<{ id: string; images: { url: string }[] }>(found).map(({ id, images }) => [id, images]));
}
