// What the tests of slideshows begin with: slides, packs and products of a tenant, and the levers of the language model.
import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import * as packs from "../../lib/queries/packs.ts";
import * as products from "../../lib/queries/products.ts";
import type { Slideshow } from "../../lib/schemas/slideshow.ts";
import { type Client, database, rows, type Tenant, vars } from "../harness.ts";

/** A slide as a client sends it. */
export function slide(text: string, more: object = {}) {
  return { text_elements: [{ content: text, x: 50, y: 40 }], image_url: null, ...more };
}

export async function created(api: Client, body: object): Promise<Slideshow & { id: string }> {
  const answer = await api.post("/slideshows", body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}

export async function mintProduct(tenant: Tenant, name: string): Promise<string> {
  const id = newId();
  await products.insert(database(), tenant, { id, name, description: `All that ${name} can do` });
  return id;
}

export async function mintPack(tenant: Tenant, urls: string[], isPublic: boolean): Promise<string> {
  const id = newId();
  const scope = { ...tenant, id: tenant.workspaceId ?? tenant.ownerId };
  const createdAt = new Date();
  await packs.insert(database(), scope, { id, name: "Pack", isPublic, createdAt });
  const picture = { fileName: "a.png", contentType: "image/png", width: 10, height: 10, createdAt };
  for (const url of urls) await packs.insertImage(database(), scope, id, { ...picture, id: newId(), url });
  return id;
}

/** As if it had been rendered: what a render leaves in the row. */
export async function markRendered(id: string): Promise<void> {
  await rows(sql`
    update slideshows set status = 'rendered', preview_image_url = 'https://cdn.example.com/0.png',
      last_rendered_at = now(), slides = (
        select jsonb_agg(s || jsonb_build_object('rendered_image_url', 'https://cdn.example.com/' || n || '.png') order by n)
        from jsonb_array_elements(slides) with ordinality as one(s, n))
    where id = ${id} returning id`);
}

const modelUrl = new URL(vars.MODEL_URL ?? "").origin;

/** Scripts the model's next answers to requests that hold the text, which only one test uses. */
export async function behave(containing: string, answer: string, more: object = {}): Promise<void> {
  const script = { containing, answer, ...more };
  const answered = await fetch(`${modelUrl}/_behave`, { method: "POST", body: JSON.stringify(script) });
  if (!answered.ok) throw new Error(await answered.text());
}

export interface Heard {
  asked: { messages: { role: string; content: string }[] };
  answer: string;
}

/** What the model was asked about the text, oldest first. */
export async function heard(containing: string): Promise<Heard[]> {
  const answer = await fetch(`${modelUrl}/_log`);
  const { calls } = (await answer.json()) as { calls: Heard[] };
  return calls.filter(({ asked }) => asked.messages.some(({ content }) => content.includes(containing)));
}

/** A word that no other test's prompt holds. */
export const mark = () => `zebra${randomBytes(6).toString("hex")}`;

/** What each slide says, text by text. */
export const textsOf = ({ slides }: Slideshow) =>
  slides.map(({ text_elements }) => text_elements.map(({ content }) => content));

export async function generated({ api }: Tenant, body: object): Promise<Slideshow & { id: string }> {
  const answer = await api.post("/slideshows/generate", body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}
