// Creates slides, packs, products and slideshows, and controls the fake language model.
import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { insertPack, insertPackImage } from "../../lib/queries/packs.ts";
import { insertProduct } from "../../lib/queries/products.ts";
import type { Slideshow } from "../../lib/schemas/slideshow.ts";
import { type Client, openTestDatabase, queryRows, type Tenant, vars } from "../support/harness.ts";

/** A slide in the format of the API. */
export function buildSlide(text: string, more: object = {}) {
  return { text_elements: [{ content: text, x: 50, y: 40 }], image_url: null, ...more };
}

export async function createSlideshow(api: Client, body: object): Promise<Slideshow & { id: string }> {
  const response = await api.post("/slideshows", body);
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}

export async function createProduct(tenant: Tenant, name: string): Promise<string> {
  const id = newId();
  await insertProduct(openTestDatabase(), tenant, { id, name, description: `All that ${name} can do` });
  return id;
}

export async function createPack(tenant: Tenant, urls: string[], isPublic: boolean): Promise<string> {
  const id = newId();
  const scope = { ...tenant, id: tenant.workspaceId ?? tenant.ownerId };
  const createdAt = new Date();
  await insertPack(openTestDatabase(), scope, { id, name: "Pack", isPublic, createdAt });
  const picture = { fileName: "a.png", contentType: "image/png", width: 10, height: 10, createdAt };
  for (const url of urls) await insertPackImage(openTestDatabase(), scope, id, { ...picture, id: newId(), url });
  return id;
}

/** Marks a slideshow as rendered, as a render does. */
export async function markRendered(id: string): Promise<void> {
  await queryRows(sql`
    update slideshows set status = 'rendered', preview_image_url = 'https://cdn.example.com/0.png',
      last_rendered_at = now(), slides = (
        select jsonb_agg(s || jsonb_build_object('rendered_image_url', 'https://cdn.example.com/' || n || '.png') order by n)
        from jsonb_array_elements(slides) with ordinality as one(s, n))
    where id = ${id} returning id`);
}

const modelUrl = new URL(vars.MODEL_URL ?? "").origin;

/** Scripts the model's next responses to requests that contain a text; the text must be unique to the test. */
export async function scriptModel(containing: string, answer: string, more: object = {}): Promise<void> {
  const script = { containing, answer, ...more };
  const answered = await fetch(`${modelUrl}/_behave`, { method: "POST", body: JSON.stringify(script) });
  if (!answered.ok) throw new Error(await answered.text());
}

export interface ModelRequest {
  asked: { messages: { role: string; content: string }[] };
  answer: string;
}

/** The model's requests that contain the text, oldest first. */
export async function readModelRequests(containing: string): Promise<ModelRequest[]> {
  const response = await fetch(`${modelUrl}/_log`);
  const { calls } = (await response.json()) as { calls: ModelRequest[] };
  return calls.filter(({ asked }) => asked.messages.some(({ content }) => content.includes(containing)));
}

/** A unique word for prompts. */
export const createMarker = () => `zebra${randomBytes(6).toString("hex")}`;

/** The texts of each slide. */
export const getTexts = ({ slides }: Slideshow) =>
  slides.map(({ text_elements }) => text_elements.map(({ content }) => content));

export async function generateSlideshow({ api }: Tenant, body: object): Promise<Slideshow & { id: string }> {
  const response = await api.post("/slideshows/generate", body);
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}
