// One workspace with nothing in it, and one with far more than a page shows, to look at its pages in both.
import { v7 as newId } from "uuid";
import { insertWorkspace, savePlan } from "../../lib/queries/tenants.ts";
import { openCommandDatabase } from "../../lib/services/database.ts";
import { at } from "../../lib/shared/at.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { createSlideshows, uploadMedia } from "../local/sample/create-content.ts";
import { renderPictures } from "../local/sample/pictures.ts";
import type { LocalStack } from "../local/stack.ts";
import { insertPosts } from "../support/insert-posts.ts";
import type { Call } from "./call-api.ts";

const VOLUME = { posts: 1_000, files: 500, slideshows: 200 } as const;

/** Creates a workspace of the owner of another one. Returns its path. */
export async function createEmptyWorkspace(stack: LocalStack, base: string): Promise<string> {
  const db = openCommandDatabase(stack.databaseConfig, "browser");
  const tenant = await insertWorkspace(db, {
    id: newId(),
    ownerId: await findOwnerId(stack, base),
    name: "Fresh Start",
  });
  await savePlan(db, tenant, newId(), { tier: "professional", status: "active", paidUntil: null });
  return `/dashboard/${tenant.workspaceId}`;
}

/** Adds posts, files and slideshows with pictures to a workspace, over a month back and a month ahead. */
export async function addVolume(stack: LocalStack, base: string, call: Call): Promise<void> {
  const workspaceId = getWorkspaceId(base);
  const { query } = stack.database;
  const files = await uploadMedia(call, await renderPictures());
  const slides = [...(await createSlideshows(call, files)).values()].flat();
  const now = Date.now();
  const month = [new Date(now - 28 * DAY_MS), new Date(now - DAY_MS)] as const;
  const accounts = stack.seed.accounts.filter(({ key, status }) => key === "workspace" && status === "active");
  const posts = {
    tenant: { ownerId: await findOwnerId(stack, base), workspaceId },
    accountIds: accounts.map(({ id }) => id),
    created: month,
  };
  const half = { ...posts, count: VOLUME.posts / 2 };
  await insertPosts(query, {
    ...half,
    statuses: ["posted", "posted", "failed"],
    due: month,
    label: "A morning in Bergen",
  });
  const ahead = [new Date(now + DAY_MS), new Date(now + 28 * DAY_MS)] as const;
  await insertPosts(query, { ...half, statuses: ["scheduled"], due: ahead, label: "An evening by the fjord" });
  await query(
    `update posts set media = jsonb_build_object('type', 'slideshow', 'urls',
       jsonb_build_array(($2::text[])[1 + abs(hashtext(id::text)) % cardinality($2::text[])]))
     where scope_id = $1 and media is null`,
    [workspaceId, slides],
  );
  await query(
    `insert into files (id, owner_id, workspace_id, object_key, url, kind, origin, content_type, filename, size, sha256,
       width, height, duration_ms, has_video, has_audio, details, created_at)
     select gen_random_uuid(), f.owner_id, f.workspace_id, f.object_key, f.url || '?copy=' || n, f.kind, f.origin,
       f.content_type, n || '-' || f.filename, f.size, f.sha256, f.width, f.height, f.duration_ms, f.has_video, f.has_audio,
       f.details, f.created_at - n * interval '1 hour'
     from (select *, row_number() over () as place from files where scope_id = $1 and kind = 'image' and origin = 'upload') f
     cross join generate_series(1, $2::int) n
     order by n, f.place limit $2::int`,
    [workspaceId, VOLUME.files],
  );
  await query(
    `insert into slideshows (id, owner_id, workspace_id, title, status, slideshow_type, settings, slides, preview_image_url,
       created_at, updated_at)
     select gen_random_uuid(), s.owner_id, s.workspace_id, s.title || ' ' || n, s.status, s.slideshow_type, s.settings,
       s.slides, s.preview_image_url, s.created_at - n * interval '1 hour', s.updated_at - n * interval '1 hour'
     from (select *, row_number() over () as place from slideshows where scope_id = $1 and status = 'rendered') s
     cross join generate_series(1, $2::int) n
     order by n, s.place limit $2::int`,
    [workspaceId, VOLUME.slideshows],
  );
}

const getWorkspaceId = (base: string) => at(base.split("/"), 2);

async function findOwnerId({ database }: LocalStack, base: string): Promise<string> {
  const rows = await database.query("select owner_id from workspaces where id = $1", [getWorkspaceId(base)]);
  return String((rows as { owner_id: string }[])[0]?.owner_id);
}
