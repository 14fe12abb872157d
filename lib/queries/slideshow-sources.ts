// Reads a template with the pack images that its slides may use.
import { sql } from "drizzle-orm";
import { packImages, packs } from "../../drizzle/schema/packs.ts";
import { templates } from "../../drizzle/schema/slideshows.ts";
import type { TemplateConfig } from "../schemas/template.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import { inScope } from "./scope.ts";
import { jsonList, qualified } from "./sql.ts";
import { isReadableTemplate } from "./templates.ts";

export interface UsableTemplate {
  name: string;
  config: TemplateConfig;
  /** The images of each pack that the config names and the scope may read, in the pack's order. */
  images: ReadonlyMap<string, readonly { url: string }[]>;
}

/** Null when no such template is readable. Each pack is read in its own subquery: a join would read all packs of the scope. */
export async function findUsableTemplate(db: ReadOnlyDb, scope: Scope, id: string): Promise<UsableTemplate | null> {
  const images = jsonList(
    { url: packImages.url },
    {
      from: sql`from ${packImages} where ${packImages.packId} = ${packs.id}`,
      orderBy: sql`${packImages.createdAt}, ${packImages.id}`,
    },
  );
  const imagesByPack = sql<Record<string, { url: string }[]> | null>`(
    select jsonb_object_agg(${packs.id}, ${images})
    from (
      select assigned.pack::uuid as id
      from jsonb_each_text(coalesce(${templates.config} #> '{structure,packAssignments}', '{}')) as assigned(slide, pack)
      union select (${templates.config} #>> '{visuals,packId}')::uuid
    ) named cross join lateral (select * from ${packs} where ${packs.id} = named.id limit 1) ${packs}
    where ${inScope(packs, scope)} or ${packs.isPublic})`;
  const [row] = await db
    .select({
      name: templates.name,
      config: sql<TemplateConfig>`${templates.config}`,
      images: qualified(imagesByPack),
    })
    .from(templates)
    .where(isReadableTemplate(scope, id));
  return row ? { ...row, images: new Map(Object.entries(row.images ?? {})) } : null;
}
