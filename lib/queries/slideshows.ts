// Slideshows of a scope: read, insert, duplicate, delete.
import { and, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { products } from "../../drizzle/schema/products.ts";
import { slideshows } from "../../drizzle/schema/slideshows.ts";
import type { BareSlide } from "../schemas/slide.ts";
import type { Slideshow, SlideshowQuery } from "../schemas/slideshow.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import type { Scope } from "../shared/scope.ts";
import { isAfterCursor, toPage } from "./paging.ts";
import { type Read, readRows, toRead } from "./read.ts";
import { inScope } from "./scope.ts";
import { columnNames, ilikeContains, instant, rawCommand } from "./sql.ts";
import { countTemplateUse } from "./templates.ts";

export const CORE_COLUMNS = {
  id: slideshows.id,
  title: slideshows.title,
  status: slideshows.status,
  slideshow_type: slideshows.slideshowType,
  product_id: slideshows.productId,
  slide_count: slideshows.slideCount,
  settings: slideshows.settings,
};
export const LIST_COLUMNS = {
  ...CORE_COLUMNS,
  preview_image_url: slideshows.previewImageUrl,
  last_rendered_at: slideshows.lastRenderedAt,
  created_at: slideshows.createdAt,
  updated_at: slideshows.updatedAt,
};
export const ALL_COLUMNS = { ...LIST_COLUMNS, slides: slideshows.slides, original_prompt: slideshows.originalPrompt };

type Settings = Slideshow["settings"];
type Stored = Omit<Slideshow, "settings" | "slides"> & { slides: object[]; settings: object };

/** slideshow_type is read from its column; a detached pack is omitted. */
function toSettings(stored: object, type: Settings["slideshow_type"]): Settings {
  const { image_pack_id, ...settings } = stored as Settings & { image_pack_id: string | null };
  return { ...settings, ...(image_pack_id ? { image_pack_id } : {}), slideshow_type: type };
}

export function withSettings<Row extends Pick<Stored, "settings" | "slideshow_type">>(row: Row) {
  return { ...row, settings: toSettings(row.settings, row.slideshow_type) };
}

/** All slides are rendered, or none, and the first one is the preview. */
export function toListedSlideshow<Row extends Omit<Stored, "slides" | "original_prompt">>(row: Row) {
  return { ...withSettings(row), has_rendered_slide: row.preview_image_url !== null };
}

/** Slides were checked by their schema before they were stored. */
export function toSlideshow(row: Stored): Slideshow {
  const slides = row.slides as Slideshow["slides"];
  return {
    ...withSettings(row),
    slides: slides.map((slide, index) => ({
      ...slide,
      index,
      rendered_image_url: slide.rendered_image_url ?? null,
    })),
  };
}

export function isOwnSlideshow(scope: Scope, id: string): SQL | undefined {
  return and(inScope(slideshows, scope), eq(slideshows.id, id));
}

/** The slides without their rendered images. */
export const BARE_SLIDES = sql`(
  select coalesce(jsonb_agg(one.slide - 'rendered_image_url' order by one.n), '[]')
  from jsonb_array_elements(${slideshows.slides}) with ordinality as one(slide, n))`;

/** A hash of everything that is rendered: the images are current while it is unchanged. */
export const RENDER_HASH = sql<string>`md5(jsonb_build_array(
  ${slideshows.settings} -> 'aspect_ratio', ${slideshows.settings} -> 'advanced_settings', ${BARE_SLIDES})::text)`;

/** The product if it is in scope, else null. */
export const selectOwnProduct = (scope: Scope, id: string) =>
  sql<string>`(select ${products.id} from ${products} where ${products.id} = ${id} and ${inScope(products, scope)})`;

export function findSlideshow(db: ReadOnlyDb, scope: Scope, id: string): Read<Slideshow | null> {
  const query = db.select(ALL_COLUMNS).from(slideshows).where(isOwnSlideshow(scope, id));
  return toRead(db, [query], ([[row]]) => (row ? toSlideshow(row) : null));
}

/** A slideshow with its render hash and the request that generated it. */
export async function findSlideshowWithRenderHash(db: ReadOnlyDb, scope: Scope, id: string) {
  const [row] = await db
    .select({ ...ALL_COLUMNS, renderHash: RENDER_HASH, generation: slideshows.generation })
    .from(slideshows)
    .where(isOwnSlideshow(scope, id));
  if (!row) return null;
  const { renderHash, generation, ...slideshow } = row;
  return { slideshow: toSlideshow(slideshow), renderHash, generation };
}

export async function hasSlideshow(db: ReadOnlyDb, scope: Scope, id: string): Promise<boolean> {
  const rows = await db.select({ id: slideshows.id }).from(slideshows).where(isOwnSlideshow(scope, id));
  return rows.length > 0;
}

/** One page, newest first, the total count and the cursor of the next page. */
export function listSlideshows(
  db: ReadOnlyDb,
  scope: Scope,
  { status, search, limit, offset, cursor }: SlideshowQuery,
) {
  const where = and(
    inScope(slideshows, scope),
    status ? eq(slideshows.status, status) : undefined,
    search ? ilikeContains(sql`${slideshows.title}`, search) : undefined,
  );
  return toRead(
    db,
    [
      db
        .select(LIST_COLUMNS)
        .from(slideshows)
        .where(and(where, isAfterCursor(slideshows.createdAt, slideshows.id, cursor)))
        .orderBy(desc(slideshows.createdAt), desc(slideshows.id))
        .limit(limit + 1)
        .offset(offset),
      db.select({ total: count() }).from(slideshows).where(where),
    ],
    ([page, counts]) => {
      const { rows, nextCursor } = toPage(page, limit, ({ created_at: at, id }) => [at.getTime(), id]);
      return { slideshows: rows.map(toListedSlideshow), total: at(counts, 0).total, next_cursor: nextCursor };
    },
  );
}

/** The first slide of each of these slideshows with its settings, for lists that show it before it is rendered. */
export async function listFirstSlides(db: ReadOnlyDb, scope: Scope, ids: string[]) {
  if (ids.length === 0) return [];
  const query = db
    .select({
      id: slideshows.id,
      slide: sql<BareSlide | null>`${slideshows.slides} -> 0`,
      settings: slideshows.settings,
    })
    .from(slideshows)
    .where(and(inScope(slideshows, scope), inArray(slideshows.id, ids)));
  return readRows(db, query);
}

export interface NewSlideshow {
  id: string;
  title: string;
  slideshowType: Settings["slideshow_type"];
  productId: string | null;
  settings: object;
  slides: BareSlide[];
  originalPrompt: string | null;
  generation: object | null;
  now: Date;
}

/** Inserts a slideshow, idempotently by id, and returns it; the use of its template is counted once. */
export async function insertSlideshow(
  db: Db,
  scope: Scope,
  slideshow: NewSlideshow,
  templateId: string | null,
): Promise<Slideshow> {
  const { productId, now, generation, settings, ...rest } = slideshow;
  const inserting = db
    .insert(slideshows)
    .values({
      ...rest,
      status: "draft",
      ownerId: scope.ownerId,
      workspaceId: scope.workspaceId,
      productId: productId ? selectOwnProduct(scope, productId) : null,
      generation: generation as Record<string, unknown> | null,
      settings: settings as Record<string, unknown>,
      createdAt: now,
      updatedAt: now,
    })
    .onConflictDoNothing({ target: slideshows.id });
  const reading = db.select(ALL_COLUMNS).from(slideshows).where(isOwnSlideshow(scope, slideshow.id));
  const [row] = templateId
    ? (await db.batch([inserting, countTemplateUse(db, scope, templateId, now), reading]))[2]
    : (await db.batch([inserting, reading]))[1];
  if (!row) throw new Error("The slideshow is not there after its insert.");
  return toSlideshow(row);
}

/** Copies a slideshow as a draft without rendered images; null if it is not in scope. */
export async function duplicateSlideshow(db: Db, scope: Scope, id: string, copy: { id: string; now: Date }) {
  const { ownerId, workspaceId, title, slideshowType, productId, settings, originalPrompt, generation } = slideshows;
  const copied = [ownerId, workspaceId, slideshowType, productId, settings, originalPrompt, generation];
  const changed = [slideshows.id, title, slideshows.status, slideshows.slides, slideshows.createdAt];
  const [, [row]] = await db.batch([
    rawCommand(
      db,
      sql`
        insert into ${slideshows} (${columnNames([...copied, ...changed, slideshows.updatedAt])})
        select ${sql.join(copied, sql`, `)}, ${copy.id}::uuid, left(${title}, 248) || ' (copy)', 'draft', ${BARE_SLIDES},
          ${instant(copy.now)}, ${instant(copy.now)}
        from ${slideshows} where ${isOwnSlideshow(scope, id)}
        on conflict (id) do nothing`,
    ),
    db.select(ALL_COLUMNS).from(slideshows).where(isOwnSlideshow(scope, copy.id)),
  ]);
  return row ? toSlideshow(row) : null;
}

export async function deleteSlideshow(db: Db, scope: Scope, id: string): Promise<boolean> {
  const rows = await db.delete(slideshows).where(isOwnSlideshow(scope, id)).returning({ id: slideshows.id });
  return rows.length > 0;
}
