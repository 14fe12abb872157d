// Updates of slideshows. Each is one statement on the current row, so that concurrent updates do not overwrite each other.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { slideshows } from "../../drizzle/schema/slideshows.ts";
import type { BareSlide } from "../schemas/slide.ts";
import type { Slideshow, SlideshowPatch } from "../schemas/slideshow.ts";
import type { Db } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import {
  ALL_COLUMNS,
  BARE_SLIDES,
  CORE_COLUMNS,
  isOwnSlideshow,
  RENDER_HASH,
  selectOwnProduct,
  toSlideshow,
  withSettings,
} from "./slideshows.ts";
import { instant } from "./sql.ts";

const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;

export type StoredSlideshowPatch = Omit<SlideshowPatch, "slides"> & { slides?: BareSlide[] | undefined };

/** `updated_at` always increases, regardless of clock differences: two versions never have the same one. */
const nextUpdatedAt = (now: Date) =>
  sql<Date>`greatest(${instant(now)}, ${slideshows.updatedAt} + interval '1 millisecond')`;

/** The fields that an update returns; null if the slideshow is not in scope, `conflict` if it is not of `expected_updated_at`. */
export async function updateSlideshow(db: Db, scope: Scope, id: string, patch: StoredSlideshowPatch, now: Date) {
  const { title, product_id, settings, expected_updated_at: expected } = patch;
  const type = patch.slideshow_type ?? settings?.slideshow_type;
  const updating = db
    .update(slideshows)
    .set({
      ...(title === undefined ? {} : { title }),
      ...(type === undefined ? {} : { slideshowType: type }),
      ...(product_id === undefined ? {} : { productId: product_id ? selectOwnProduct(scope, product_id) : null }),
      ...(settings === undefined ? {} : { settings: mergeSettings(settings) }),
      ...resetStaleRender(patch),
      updatedAt: nextUpdatedAt(now),
    })
    .where(and(isOwnSlideshow(scope, id), expected ? eq(slideshows.updatedAt, expected) : undefined))
    .returning({ ...CORE_COLUMNS, ...(expected ? { updated_at: slideshows.updatedAt } : {}) });
  const finding = db.select({ id: slideshows.id }).from(slideshows).where(isOwnSlideshow(scope, id));
  const [[row], [found]] = await db.batch([updating, finding]);
  return row ? withSettings(row) : found ? ("conflict" as const) : null;
}

/** Sent fields replace stored ones; fields of `advanced_settings` are merged in the same way. */
function mergeSettings({
  advanced_settings,
  slideshow_type: _,
  ...fields
}: NonNullable<StoredSlideshowPatch["settings"]>): SQL {
  const { settings } = slideshows;
  return sql`${settings} || ${json(fields)} || jsonb_build_object('advanced_settings',
    coalesce(${settings} -> 'advanced_settings', '{}') || ${json(advanced_settings ?? {})})`;
}

/** Clears outdated rendered images, and the status `rendered` unless it was sent without slides. */
function resetStaleRender({ slides, settings, status }: StoredSlideshowPatch) {
  const plain = status === undefined ? {} : { status };
  if (!slides && !settings?.aspect_ratio && !settings?.advanced_settings) return plain;
  const stale = slides ? sql`true` : isRestyled(settings ?? {});
  const unlessStale = (kept: unknown, otherwise: SQL) => sql`case when ${stale} then ${otherwise} else ${kept} end`;
  return {
    status: slides
      ? ("draft" as const)
      : (status ?? sql`case when ${stale} then 'draft' else ${slideshows.status} end`),
    slides: slides ? json(slides) : unlessStale(slideshows.slides, BARE_SLIDES),
    previewImageUrl: unlessStale(slideshows.previewImageUrl, sql`null`),
    lastRenderedAt: unlessStale(slideshows.lastRenderedAt, sql`null`),
  };
}

function isRestyled(settings: NonNullable<StoredSlideshowPatch["settings"]>): SQL {
  const { settings: stored } = slideshows;
  const after = mergeSettings(settings);
  return sql`((${after}) -> 'aspect_ratio' is distinct from ${stored} -> 'aspect_ratio'
    or (${after}) -> 'advanced_settings' is distinct from ${stored} -> 'advanced_settings')`;
}

interface RenderedVersion {
  /** The render hash that was read; the update has no effect if it changed. */
  renderHash: string;
  now: Date;
}

/** Stores the image of each slide; null if the slideshow was deleted or its render hash changed. */
export async function saveRenderedImages(
  db: Db,
  scope: Scope,
  id: string,
  { urls, renderHash, now }: RenderedVersion & { urls: string[] },
): Promise<Slideshow | null> {
  const [row] = await db
    .update(slideshows)
    .set({
      slides: sql`(
        select jsonb_agg(one.slide || jsonb_build_object('rendered_image_url', ${json(urls)} -> (one.n - 1)::int)
          order by one.n)
        from jsonb_array_elements(${slideshows.slides}) with ordinality as one(slide, n))`,
      status: "rendered",
      previewImageUrl: urls[0],
      lastRenderedAt: now,
      updatedAt: nextUpdatedAt(now),
    })
    .where(and(isOwnSlideshow(scope, id), eq(RENDER_HASH, renderHash)))
    .returning(ALL_COLUMNS);
  return row ? toSlideshow(row) : null;
}

/** Replaces one slide of a draft; null if the slideshow changed since it was read. */
export async function saveSlide(
  db: Db,
  scope: Scope,
  id: string,
  { index, slide, renderHash, now }: RenderedVersion & { index: number; slide: BareSlide },
): Promise<Slideshow | null> {
  const [row] = await db
    .update(slideshows)
    .set({
      slides: sql`jsonb_set(${BARE_SLIDES}, array[${String(index)}], ${json(slide)})`,
      previewImageUrl: null,
      lastRenderedAt: null,
      updatedAt: nextUpdatedAt(now),
    })
    .where(and(isOwnSlideshow(scope, id), eq(slideshows.status, "draft"), eq(RENDER_HASH, renderHash)))
    .returning(ALL_COLUMNS);
  return row ? toSlideshow(row) : null;
}
