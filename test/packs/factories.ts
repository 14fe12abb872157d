// Creates packs and rows of images.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { type Client, queryRows } from "../support/harness.ts";

/** Creates a pack and returns the response data; throws when the API returns an error. */
export async function createPack(api: Client, patch: Record<string, unknown> = {}) {
  const response = await api.post("/packs", { name: newId(), ...patch });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}

/** Inserts images, oldest first; returns their URLs. */
export async function insertImages(packId: string, count: number): Promise<string[]> {
  const found = await queryRows<{ url: string }>(sql`
    insert into pack_images (id, pack_id, url, file_name, content_type, width, height, created_at)
    select gen_random_uuid(), ${packId}, 'https://media.example.com/' || n || '.png', n || '.png', 'image/png', 4, 5,
      timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second'
    from generate_series(1, ${count}::int) n returning url`);
  return found.map(({ url }) => url);
}
