// The first content of the composer: the drafts that its address names, or files, slides and a caption that another page hands over.
import type * as z from "zod";
import { needsSlot } from "../../../lib/publishing/first-attempt.ts";
import { findQueuedPost } from "../../../lib/queries/queue.ts";
import type { FileDetails } from "../../../lib/schemas/file.ts";
import type { Slideshow } from "../../../lib/schemas/slideshow.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import { listAltTexts, listShownFiles, type PostMedia, toRequestMedia } from "../../../lib/shared/post-media.ts";
import getFile from "../../files/get.ts";
import getSlideshow from "../../slideshows/get.ts";
import type { PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { PageError } from "../session.ts";
import { type KeptContent, listOwnContents, NOTHING_KEPT, toKeptFields } from "./kept-content.ts";
import { readGivenTime } from "./when.tsx";

/** A draft in the composer: TikTok's own accounts have one of their own. */
interface OpenedDraft {
  id: string;
  kind: "tiktok" | "others";
  updatedAt: string;
}

export interface OpenedMedia {
  name: string;
  type: string;
  url: string;
  alt?: string;
}

export interface OpenedContent {
  drafts: OpenedDraft[];
  caption: string;
  accountIds: Set<string>;
  media: OpenedMedia[];
  tiktok: Record<string, unknown> | null;
  pinterest: Record<string, unknown> | null;
  settings: Record<string, Record<string, unknown>>;
  at: Date | null;
  /** A time that was given and is over. */
  passedAt: Date | null;
  /** The draft takes the next free slot. */
  atNextSlot: boolean;
  kept: KeptContent;
}

const MAX_ACCOUNTS = 10;
const MAX_IMAGES = 35;
const MAX_CAPTION = 63_206;

export async function loadContent(c: PageContext): Promise<OpenedContent> {
  const ids = [...new Set((c.req.queries("draft") ?? []).map((id) => id.toLowerCase()))];
  return ids.length > 0 ? loadDrafts(c, ids) : loadHandedOver(c);
}

type Found = NonNullable<Awaited<ReturnType<typeof findQueuedPost>>>["post"];

async function loadDrafts(c: PageContext, ids: string[]): Promise<OpenedContent> {
  const { services, workspace } = c.var;
  if (ids.length > 2 || !ids.every(isUuid)) throw noDraft();
  const found = await Promise.all(ids.map((id) => findQueuedPost(services.db, workspace.id, id)));
  const posts = found.flatMap((one) => (one?.post.status === "draft" ? [one.post] : []));
  // The other draft of the address may have been published, or deleted with its accounts.
  const [first] = posts;
  if (!first) throw noDraft();
  const own = posts.find((post) => getKind(post) === "tiktok");
  const other = posts.find((post) => getKind(post) === "others");
  const shown = [own, other].flatMap((post) => post ?? []);
  // A draft for TikTok and other networks alike becomes two.
  const rest = other ?? first;
  return {
    drafts: shown.map((post) => ({ id: post.id, kind: getKind(post), updatedAt: post.updatedAt.toISOString() })),
    caption: first.caption,
    accountIds: new Set(shown.flatMap(({ deliveries }) => deliveries.map(({ accountId }) => accountId))),
    media: toMedia(first.media),
    tiktok: own?.tiktok ?? null,
    pinterest: rest.pinterest,
    settings: rest.settings,
    at: first.scheduledAt,
    passedAt: null,
    atNextSlot: needsSlot(first),
    kept: {
      fields: { tiktok: own ? toKeptFields(own) : {}, others: toKeptFields(rest) },
      accounts: Object.fromEntries(listOwnContents(shown)),
      media: first.media && toRequestMedia(first.media),
    },
  };
}

const noDraft = () => new PageError(404, "There is no such draft in this workspace.");

function getKind({ deliveries }: Found): OpenedDraft["kind"] {
  return deliveries.some(({ platform, accountType }) => platform === "tiktok" && accountType === "byo")
    ? "tiktok"
    : "others";
}

function toMedia(media: PostMedia | null): OpenedMedia[] {
  if (!media) return [];
  const texts = listAltTexts(media);
  return listShownFiles(media).map(({ url, kind }, at) => ({
    name: url.split("/").at(-1) ?? "",
    type: kind === "video" ? "video/mp4" : "image/jpeg",
    url,
    ...(texts[at] ? { alt: texts[at] } : {}),
  }));
}

/** `?file=` (an id, or the URL of an image or video; several times for images), `?slideshow=`, `?caption=`, `?account=`, and the time of `readGivenTime`. */
async function loadHandedOver(c: PageContext): Promise<OpenedContent> {
  const files = (c.req.queries("file") ?? []).slice(0, MAX_IMAGES);
  const slideshowId = c.req.query("slideshow");
  const at = readGivenTime(c);
  return {
    drafts: [],
    caption: (c.req.query("caption") ?? "").slice(0, MAX_CAPTION),
    accountIds: new Set((c.req.queries("account") ?? []).slice(0, MAX_ACCOUNTS).map((id) => id.toLowerCase())),
    media: slideshowId
      ? await loadSlides(c, slideshowId)
      : (await Promise.all(files.map((file) => loadFile(c, file)))).flatMap((file) => file ?? []),
    tiktok: null,
    pinterest: null,
    settings: {},
    ...(at && at <= c.var.now ? { at: null, passedAt: at } : { at, passedAt: null }),
    atNextSlot: false,
    kept: NOTHING_KEPT,
  };
}

async function loadFile(c: PageContext, file: string): Promise<OpenedMedia | null> {
  if (isUuid(file)) {
    const {
      url,
      contentType,
      filename: name,
    } = await runOperation<z.output<typeof FileDetails>>(c, getFile, {
      params: { fileId: file.toLowerCase() },
    });
    return { name, type: contentType, url };
  }
  if (!URL.canParse(file) || !/^https?:$/.test(new URL(file).protocol)) return null;
  const name = new URL(file).pathname.split("/").at(-1) ?? "";
  return { name, type: /\.(mp4|mov|m4v|webm)$/i.test(name) ? "video/mp4" : "image/jpeg", url: file };
}

async function loadSlides(c: PageContext, id: string): Promise<OpenedMedia[]> {
  if (!isUuid(id)) throw new PageError(404, "There is no such slideshow in this workspace.");
  const { slides } = await runOperation<z.output<typeof Slideshow>>(c, getSlideshow, {
    params: { slideshowId: id.toLowerCase() },
  });
  const urls = slides.flatMap(({ rendered_image_url: url }) => url ?? []);
  if (urls.length < slides.length || urls.length === 0) {
    throw new PageError(409, "The slides have no pictures yet. Open the slideshow, render it, then post it.");
  }
  return urls.map((url, position) => ({ name: `Slide ${position + 1}`, type: "image/jpeg", url }));
}
