// What the pack tests share.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { type Client, rows } from "../harness.ts";

/** The answer's data of a create that must succeed. */
export async function createPack(api: Client, patch: Record<string, unknown> = {}) {
  const answer = await api.post("/packs", { name: newId(), ...patch });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}

/** Images as if each had been added, oldest first; their URLs. */
export async function insertImages(packId: string, count: number): Promise<string[]> {
  const found = await rows<{ url: string }>(sql`
    insert into pack_images (id, pack_id, url, file_name, content_type, width, height, created_at)
    select gen_random_uuid(), ${packId}, 'https://media.example.com/' || n || '.png', n || '.png', 'image/png', 4, 5,
      timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second'
    from generate_series(1, ${count}::int) n returning url`);
  return found.map(({ url }) => url);
}
