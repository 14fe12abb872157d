// Image packs that a scope may read: its own, and public ones. Only its own can be changed.
import { and, desc, eq, ne, or, type SQL, sql } from "drizzle-orm";
import { packImages, packs } from "../../drizzle/schema/packs.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import type { Scope } from "../shared/scope.ts";
import { isAfterCursor, type Paging, toPage, toRowPosition } from "./paging.ts";
import { type Read, readFirst, toRead } from "./read.ts";
import { inMode, inScope } from "./scope.ts";
import {
  columnNames,
  ilikeContains,
  instant,
  jsonList,
  nullable,
  qualified,
  type RowOf,
  rawQuery,
  uuidArray,
} from "./sql.ts";

/** Limits the size of the response for one pack. */
export const MAX_PACK_IMAGES = 1_000;
const MAX_IMAGES_IN_LIST = 10;

const { id, url, fileName, contentType, width, height, createdAt } = packImages;
const IMAGE_COLUMNS = { id, url, fileName, contentType, width, height, createdAt };
export type StoredImage = RowOf<typeof IMAGE_COLUMNS>;

const inOrder = sql`${createdAt}, ${id}`;
const imagesOfPack = sql`${packImages} where ${packImages.packId} = ${packs.id}`;

/** The pack with its first `most` images. */
const columns = (most: number) => ({
  id: packs.id,
  name: packs.name,
  isPublic: packs.isPublic,
  createdAt: packs.createdAt,
  imageCount: qualified(sql<number>`(select count(*)::int from ${imagesOfPack})`),
  images: jsonList(IMAGE_COLUMNS, {
    from: sql`from (select * from ${imagesOfPack} order by ${inOrder} limit ${most}) ${packImages}`,
    orderBy: inOrder,
  }),
});
export type StoredPack = RowOf<ReturnType<typeof columns>>;

const isOwn = (scope: Scope, packId: string): SQL | undefined => and(inScope(packs, scope), eq(packs.id, packId));

/** A pack of a test scope is nobody else's, whatever it says. */
const isPublic = and(packs.isPublic, inMode(packs.scopeId, null));

const isReadable = (scope: Scope): SQL | undefined => or(inScope(packs, scope), isPublic);

export function findPack(db: ReadOnlyDb, scope: Scope, packId: string): Read<StoredPack | null> {
  return readFirst(
    db,
    db
      .select(columns(MAX_PACK_IMAGES))
      .from(packs)
      .where(and(eq(packs.id, packId), isReadable(scope))),
  );
}

/** Reports if the scope may change the pack; null if it cannot read it. */
export async function findPackOwner(db: ReadOnlyDb, scope: Scope, packId: string): Promise<{ mine: boolean } | null> {
  const [row] = await db
    .select({ mine: sql<boolean>`${inScope(packs, scope)}` })
    .from(packs)
    .where(and(eq(packs.id, packId), isReadable(scope)));
  return row ?? null;
}

export interface PackFilter extends Paging {
  /** A substring of the name, ignoring case. */
  search?: string | undefined;
  /** Includes public packs of other scopes. */
  includePublic: boolean;
}

/** One page, newest first, the total count and the cursor of the next page. */
export function listPacks(
  db: ReadOnlyDb,
  scope: Scope,
  { search, includePublic, limit, offset, cursor }: PackFilter,
): Read<{ rows: StoredPack[]; total: number; nextCursor: string | null }> {
  const isFound = search ? ilikeContains(sql`${packs.name}`, search) : undefined;
  const halves = [
    and(inScope(packs, scope), isFound),
    ...(includePublic ? [and(isPublic, ne(packs.scopeId, scope.id), isFound)] : []),
  ];
  const newest = [desc(packs.createdAt), desc(packs.id)];
  const order = sql.join(newest, sql`, `);
  // Each part of the union uses its own index and reads at most offset + limit + 1 rows.
  const pages = halves.map(
    (half) =>
      sql`${db
        .select()
        .from(packs)
        .where(and(half, isAfterCursor(packs.createdAt, packs.id, cursor)))
        .orderBy(...newest)
        .limit(limit + offset + 1)}`,
  );
  const counts = halves.map((half) => sql`(select count(*) from ${packs} where ${half})`);
  return toRead(
    db,
    [
      // The page is limited before images are counted and read.
      rawQuery(
        db,
        columns(MAX_IMAGES_IN_LIST),
        (fields) => sql`
        select ${fields} from (
          select * from (${sql.join(pages, sql` union all `)}) ${packs} order by ${order} limit ${limit + 1} offset ${offset}
        ) ${packs} order by ${order}`,
      ),
      rawQuery(db, { total: sql<number>`(${sql.join(counts, sql` + `)})::int` }, (fields) => sql`select ${fields}`),
    ],
    ([rows, totals]) => ({ ...toPage(rows, limit, toRowPosition), total: at(totals, 0).total }),
  );
}

export interface NewPack {
  id: string;
  name: string;
  isPublic: boolean;
  createdAt: Date;
}

/** An existing id means that the request is a retry. */
export async function insertPack(db: Db, scope: Scope, pack: NewPack): Promise<StoredPack> {
  const { ownerId, workspaceId } = scope;
  const [, [row]] = await db.batch([
    db
      .insert(packs)
      .values({ ...pack, ownerId, workspaceId, updatedAt: pack.createdAt })
      .onConflictDoNothing(),
    db.select(columns(MAX_PACK_IMAGES)).from(packs).where(isOwn(scope, pack.id)),
  ]);
  if (!row) throw new Error("the pack that was just inserted is not there");
  return row;
}

export interface PackChange {
  name?: string | undefined;
  isPublic?: boolean | undefined;
}

/** Null if the pack does not belong to the scope. */
export async function updatePack(
  db: Db,
  scope: Scope,
  packId: string,
  change: PackChange,
  now: Date,
): Promise<StoredPack | null> {
  const [row] = await db
    .update(packs)
    .set({ ...change, updatedAt: now })
    .where(isOwn(scope, packId))
    .returning(columns(MAX_PACK_IMAGES));
  return row ?? null;
}

/** False if the pack does not belong to the scope. */
export async function deletePack(db: Db, scope: Scope, packId: string): Promise<boolean> {
  const deleted = await db.delete(packs).where(isOwn(scope, packId)).returning({ id: packs.id });
  return deleted.length > 0;
}

export type NewImage = StoredImage;

/** Null if the pack does not belong to the scope. An existing id means that the request is a retry. */
export async function insertPackImage(
  db: Db,
  scope: Scope,
  packId: string,
  image: NewImage,
): Promise<StoredImage | "full" | null> {
  const inserted = { id, packId: packImages.packId, url, fileName, contentType, width, height, createdAt };
  const [, [row]] = await db.batch([
    // Images are counted under the lock, so that concurrent requests cannot exceed the limit.
    db.select({ id: packs.id }).from(packs).where(isOwn(scope, packId)).for("no key update"),
    rawQuery(
      db,
      { ...IMAGE_COLUMNS, id: nullable(id) },
      (fields) => sql`
        with pack as (
          select ${packs.id}, (select count(*) from ${imagesOfPack}) as images from ${packs} where ${isOwn(scope, packId)}
        ), new_image as (
          insert into ${packImages} (${columnNames(Object.values(inserted))})
          select ${image.id}::uuid, pack.id, ${image.url}, ${image.fileName}, ${image.contentType},
            ${image.width}::int, ${image.height}::int, ${instant(image.createdAt)}
          from pack where pack.images < ${MAX_PACK_IMAGES} on conflict (id) do nothing returning *
        ), stored_image as (
          select * from new_image union all
          select * from ${packImages} where ${packImages.packId} = ${packId} and ${id} = ${image.id}
        )
        select ${fields} from pack left join stored_image ${packImages} on true`,
    ),
  ]);
  if (!row) return null;
  return row.id === null ? "full" : { ...row, id: row.id };
}

/** False if the pack has no such image or does not belong to the scope. */
export async function deletePackImage(db: Db, scope: Scope, packId: string, imageId: string): Promise<boolean> {
  const ownPack = db.select({ id: packs.id }).from(packs).where(isOwn(scope, packId));
  const deleted = await db
    .delete(packImages)
    .where(and(eq(id, imageId), sql`${packImages.packId} = ${ownPack}`))
    .returning({ id });
  return deleted.length > 0;
}

/** The images of each pack in their order, by pack id. */
export type PackImages = ReadonlyMap<string, readonly { url: string }[]>;

/** The images of the packs that the scope may read. */
export async function findPackImages(db: ReadOnlyDb, scope: Scope, packIds: string[]): Promise<PackImages> {
  if (packIds.length === 0) return new Map();
  const rows = await db
    .select({ id: packs.id, images: jsonList({ url }, { from: sql`from ${imagesOfPack}`, orderBy: inOrder }) })
    .from(packs)
    .where(and(sql`${packs.id} = any(${uuidArray(packIds)})`, isReadable(scope)));
  return new Map(rows.map(({ id, images }) => [id, images]));
}
