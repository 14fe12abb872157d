// Publishes every kind of post that a network has on a new account, as one row of a table.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { at } from "../../lib/shared/at.ts";
import { DEMO_VIDEO } from "../files/upload-file.ts";
import type { ConsentAnswer, Customer } from "./customer.ts";
import type { Deployment } from "./deployment.ts";

const FIXTURES = join(import.meta.dirname, "../media/fixtures");

export interface Media {
  images: [string, string];
  video: string;
}

/** Column -> the kind as capabilities name it, and the media of such a post. */
const KINDS = {
  text: ["text_only", () => null],
  image: ["single_image", ({ images }: Media) => ({ type: "slideshow", urls: images.slice(0, 1) })],
  carousel: ["multi_image", ({ images }: Media) => ({ type: "slideshow", urls: images })],
  video: ["single_video", ({ video }: Media) => ({ type: "video", url: video })],
} as const;
type Column = keyof typeof KINDS;
const COLUMNS = Object.keys(KINDS) as Column[];

export interface Network extends ConsentAnswer {
  name: string;
  /** Fields that its posts need. */
  settings?: object;
}

/** A cell is "yes", "-" for a kind that the network does not have, or what went wrong. */
export type Row = Record<"network" | "connect" | Column, string>;

export async function uploadMedia(customer: Customer): Promise<Media> {
  const upload = async (type: string, path: string) => customer.uploadFile(type, await readFile(path));
  const [first, second, video] = await Promise.all([
    upload("image/jpeg", join(FIXTURES, "baseline.jpg")),
    upload("image/jpeg", join(FIXTURES, "progressive.jpg")),
    upload("video/mp4", DEMO_VIDEO),
  ]);
  return { images: [first, second], video };
}

export async function publishKinds(
  { stack }: Deployment,
  customer: Customer,
  media: Media,
  { name, settings, ...answer }: Network,
): Promise<Row> {
  const row: Row = { network: name, connect: "yes", text: "-", image: "-", carousel: "-", video: "-" };
  const account = await customer.connect(answer).catch((error: Error) => error.message);
  if (typeof account === "string") return { ...row, connect: account };
  const { supported_content_kinds: kinds } = account.capabilities;
  const columns = COLUMNS.filter((column) => kinds.includes(KINDS[column][0]));
  const run = randomUUID();
  const toCaption = (column: Column) => `${column} ${run}`;
  const posts: string[] = [];
  for (const column of columns) {
    const content = { media: KINDS[column][1](media), ...settings };
    posts.push(await customer.createPost(account.id, toCaption(column), content));
  }
  const states = await customer.waitForPosts(posts);
  for (const [index, column] of columns.entries()) {
    const { status, published_url, error_message } = at(states, index);
    const items = stack.networks.published()[account.platform] ?? [];
    const urls = items
      .filter(({ caption, title }) => [caption, title].includes(toCaption(column)))
      .map(({ url }) => url);
    const isPublished = status === "posted" && urls.length === 1 && urls[0] === published_url;
    row[column] = isPublished
      ? "yes"
      : `${status} ${published_url} ${error_message}, at the network: ${urls.length} ${urls.join(" ")}`;
  }
  return row;
}
