// Creates folders, and rows of files and slideshows as their items.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import type { TenantIds } from "../../lib/queries/tenants.ts";
import { openTestDatabase, type Tenant, type TestResponse } from "../support/harness.ts";

interface FolderOptions {
  name?: string;
  mediaType?: "upload" | "slideshow" | "ai_image" | "ai_video";
  parentId?: string | null;
}

/** Creates a folder; throws when the API returns an error. */
export async function createFolder({ api }: Pick<Tenant, "api">, options: FolderOptions = {}) {
  const { name = `Folder ${newId()}`, mediaType = "upload", parentId = null } = options;
  const response = await api.post("/folders", { name, media_type: mediaType, parent_folder_id: parentId });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}

/** Ids of the last milliseconds in ascending order. Without a time, those of `uuid` are ahead after a file whose clock was. */
function createIds(count: number): string[] {
  const now = Date.now();
  return Array.from({ length: count }, (_, at) => newId({ msecs: now - count + at }));
}

/** Inserts nested folders, the topmost first. */
export async function insertChain(tenant: TenantIds, length: number): Promise<string[]> {
  const ids = createIds(length);
  await openTestDatabase().execute(sql`
    insert into folders (id, owner_id, workspace_id, name, media_type, parent_folder_id)
    select id, ${tenant.ownerId}::uuid, ${tenant.workspaceId}::uuid, 'Folder ' || id, 'upload', lag(id) over (order by id)
    from unnest(${`{${ids.join(",")}}`}::uuid[]) id`);
  return ids;
}

type Origin = "upload" | "render" | "ai_image" | "ai_video";

/** Inserts rows of JPEG files without bytes, oldest first. */
export async function insertFiles(tenant: TenantIds, count: number, origin: Origin): Promise<string[]> {
  const ids = createIds(count);
  await openTestDatabase().execute(sql`
    insert into files (id, owner_id, workspace_id, object_key, url, kind, origin, content_type, filename, size, sha256,
      width, height, has_video, has_audio, details)
    select id, ${tenant.ownerId}::uuid, ${tenant.workspaceId}::uuid, id, 'https://cdn.example.com/' || id, 'image',
      ${origin}, 'image/jpeg', id || '.jpg', 100, '', 10, 10, false, false, '{}'
    from unnest(${`{${ids.join(",")}}`}::uuid[]) id`);
  return ids;
}

/** Inserts rows of slideshows with one slide and the given previews, oldest first. */
export async function insertSlideshows(tenant: TenantIds, previews: (string | null)[]): Promise<string[]> {
  const ids = createIds(previews.length);
  const made = previews.map((preview, at) => ({ id: ids[at], preview }));
  await openTestDatabase().execute(sql`
    insert into slideshows (id, owner_id, workspace_id, title, status, slideshow_type, settings, slides,
      preview_image_url)
    select id, ${tenant.ownerId}::uuid, ${tenant.workspaceId}::uuid, 'Slideshow', 'draft', 'educational',
      '{"aspect_ratio": "4:5", "advanced_settings": {}, "pack_assignments": null}', '[{"image_url": null, "text_elements": []}]', preview
    from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) made(id uuid, preview text)`);
  return ids;
}

/** The status and the error code of a response. */
export const getStatusAndCode = ({ status, body }: TestResponse): [number, string | undefined] => [
  status,
  body.error_code,
];

export const moveTo = ({ api }: Pick<Tenant, "api">, id: string, parentId: string | null) =>
  api.patch(`/folders/${id}`, { parent_folder_id: parentId });
