// What a slideshow is made from: a template with the pictures that its slides may take.
import { sql } from "drizzle-orm";
import { type Db, rowsOf } from "../db.ts";
import type { TemplateConfig } from "../schemas/template.ts";
import type { Scope } from "../scope.ts";

export interface UsableTemplate {
  name: string;
  config: TemplateConfig;
  /** The pictures of each pack that the config names and the scope may read, in the pack's order. */
  images: ReadonlyMap<string, readonly { url: string }[]>;
}

/** Null when no such template is readable. Each pack is looked up by itself: a join would read all packs of the scope. */
export async function findTemplate(db: Db, scope: Scope, id: string): Promise<UsableTemplate | null> {
  const found = await db.execute(sql`
    select t.name, t.config, (
      select jsonb_object_agg(p.id, coalesce((
        select jsonb_agg(jsonb_build_object('url', i.url) order by i.created_at, i.id)
        from pack_images i where i.pack_id = p.id), '[]'))
      from (
        select assigned.pack::uuid as id
        from jsonb_each_text(coalesce(t.config #> '{structure,packAssignments}', '{}')) as assigned(slide, pack)
        union select (t.config #>> '{visuals,packId}')::uuid
      ) named cross join lateral (select * from packs p where p.id = named.id limit 1) p
      where p.scope_id = ${scope.id} or p.is_public
    ) as images
    from templates t where t.id = ${id} and (t.scope_id = ${scope.id} or t.visibility = 'public')`);
  type Row = Omit<UsableTemplate, "images"> & { images: Record<string, { url: string }[]> | null };
  const [row] = rowsOf<Row>(found);
  return row ? { ...row, images: new Map(Object.entries(row.images ?? {})) } : null;
}
