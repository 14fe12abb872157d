// Changes of a slideshow that exists, each one statement on the row as it is by then: parallel ones never lose one another.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { slideshows } from "../../drizzle/schema/slideshows.ts";
import type { Db } from "../db.ts";
import type { BareSlide } from "../schemas/slide.ts";
import type { Slideshow, SlideshowPatch } from "../schemas/slideshow.ts";
import type { Scope } from "../scope.ts";
import { BARE, CORE, DRAWN, mine, productOf, shown, WHOLE, whole } from "./slideshows.ts";

const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;

export type Patch = Omit<SlideshowPatch, "slides"> & { slides?: BareSlide[] | undefined };

/** The fields that an update answers; null when no such slideshow is in scope. */
export async function update(db: Db, scope: Scope, id: string, patch: Patch, now: Date) {
  const { title, product_id, settings } = patch;
  const type = patch.slideshow_type ?? settings?.slideshow_type;
  const [row] = await db
    .update(slideshows)
    .set({
      ...(title === undefined ? {} : { title }),
      ...(type === undefined ? {} : { slideshowType: type }),
      ...(product_id === undefined ? {} : { productId: product_id ? productOf(scope, product_id) : null }),
      ...(settings === undefined ? {} : { settings: merged(settings) }),
      ...look(patch),
      updatedAt: now,
    })
    .where(mine(scope, id))
    .returning(CORE);
  return row ? shown(row) : null;
}

/** Named fields replace what is stored, and inside `advanced_settings` again. */
function merged({ advanced_settings, slideshow_type: _, ...fields }: NonNullable<Patch["settings"]>): SQL {
  const { settings } = slideshows;
  return sql`${settings} || ${json(fields)} || jsonb_build_object('advanced_settings',
    coalesce(${settings} -> 'advanced_settings', '{}') || ${json(advanced_settings ?? {})})`;
}

/** Pictures go when they no longer show what would be drawn, and with them the status of a slideshow that had them. */
function look({ slides, settings, status }: Patch) {
  const plain = status === undefined ? {} : { status };
  if (!slides && !settings?.aspect_ratio && !settings?.advanced_settings) return plain;
  const stale = slides ? sql`true` : restyled(settings ?? {});
  const unlessStale = (kept: unknown, otherwise: SQL) => sql`case when ${stale} then ${otherwise} else ${kept} end`;
  return {
    status: sql`case when ${slideshows.status} = 'rendered' and ${stale} then 'draft'
      else ${status ?? slideshows.status} end`,
    slides: slides ? json(slides) : unlessStale(slideshows.slides, BARE),
    previewImageUrl: unlessStale(slideshows.previewImageUrl, sql`null`),
    lastRenderedAt: unlessStale(slideshows.lastRenderedAt, sql`null`),
  };
}

function restyled(settings: NonNullable<Patch["settings"]>): SQL {
  const { settings: stored } = slideshows;
  const after = merged(settings);
  return sql`((${after}) -> 'aspect_ratio' is distinct from ${stored} -> 'aspect_ratio'
    or (${after}) -> 'advanced_settings' is distinct from ${stored} -> 'advanced_settings')`;
}

interface Drawn {
  /** The digest of what was read: the change is made only while the slideshow still is that. */
  drawn: string;
  now: Date;
}

/** Gives each slide its picture; null when the slideshow is gone or would be drawn otherwise by now. */
export async function recordPictures(
  db: Db,
  scope: Scope,
  id: string,
  { urls, drawn, now }: Drawn & { urls: string[] },
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
      updatedAt: now,
    })
    .where(and(mine(scope, id), eq(DRAWN, drawn)))
    .returning(WHOLE);
  return row ? whole(row) : null;
}

/** Puts one slide in place of another in a draft; null when the slideshow has changed since it was read. */
export async function replaceSlide(
  db: Db,
  scope: Scope,
  id: string,
  { index, slide, drawn, now }: Drawn & { index: number; slide: BareSlide },
): Promise<Slideshow | null> {
  const [row] = await db
    .update(slideshows)
    .set({
      slides: sql`jsonb_set(${BARE}, array[${String(index)}], ${json(slide)})`,
      previewImageUrl: null,
      lastRenderedAt: null,
      updatedAt: now,
    })
    .where(and(mine(scope, id), eq(slideshows.status, "draft"), eq(DRAWN, drawn)))
    .returning(WHOLE);
  return row ? whole(row) : null;
}
