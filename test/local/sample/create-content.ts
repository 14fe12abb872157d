// The content of the sample, made with the operations of the API: files, folders, packs, templates, slideshows, a project.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Call } from "../../browser/call-api.ts";
import { type SampleSlideshow, SLIDESHOWS } from "./story.ts";

const VIDEO = join(import.meta.dirname, "harbour.mp4");
/** Below it a heading leaves the middle of the picture free; above it TikTok shows its own texts. */
const HEADING_Y = 22;
const BODY_Y = 76;
const [HEADING_SIZE, BODY_SIZE] = [82, 54];

const PACKED_SCENES = [
  ...["first-light-on-the-pier", "coloured-houses-at-the-harbour", "fog-in-the-spruce-forest"],
  ...["midnight-sun", "summit-at-sunrise"],
];

interface SampleFile {
  id: string;
  url: string;
}

export interface SampleMediaFiles {
  pictures: ReadonlyMap<string, SampleFile>;
  video: SampleFile;
}

export async function uploadMedia(call: Call, pictures: ReadonlyMap<string, Uint8Array>): Promise<SampleMediaFiles> {
  const [video, ...files] = await Promise.all([
    readFile(VIDEO).then((bytes) => uploadFile(call, "harbour.mp4", "video/mp4", bytes)),
    ...[...pictures].map(
      async ([name, bytes]) => [name, await uploadFile(call, `${name}.jpg`, "image/jpeg", bytes)] as const,
    ),
  ]);
  return { pictures: new Map(files), video };
}

export async function createContent(call: Call, { pictures, video }: SampleMediaFiles): Promise<void> {
  await Promise.all([
    createFolders(call, video, pictures),
    createPackAndTemplate(call, pictures),
    createProject(call, video),
  ]);
}

async function uploadFile(call: Call, filename: string, contentType: string, bytes: Uint8Array): Promise<SampleFile> {
  const upload = await call<{ id: string; uploadUrl: string; headers: Record<string, string> }>("POST", "/files", {
    contentType,
    filename,
    size: bytes.length,
  });
  const put = await fetch(upload.uploadUrl, { method: "PUT", headers: upload.headers, body: new Uint8Array(bytes) });
  if (!put.ok) throw new Error(`The storage responded with ${put.status}.`);
  const { file } = await call<{ file: SampleFile }>("POST", `/files/${upload.id}/finalize`, {});
  return file;
}

/** URLs of the rendered slides by title. */
export async function createSlideshows(
  call: Call,
  { pictures }: SampleMediaFiles,
): Promise<ReadonlyMap<string, string[]>> {
  const urls = new Map<string, string[]>();
  for (const show of [...SLIDESHOWS].reverse()) {
    const { id } = await call<{ id: string }>("POST", "/slideshows", {
      title: show.title,
      slides: show.slides.map((slide) => toSlide(slide, pictures)),
    });
    if (!show.isRendered) continue;
    const { slides } = await call<{ slides: { rendered_image_url: string }[] }>("POST", `/slideshows/${id}/render`, {});
    urls.set(
      show.title,
      slides.map(({ rendered_image_url }) => rendered_image_url),
    );
  }
  return urls;
}

function toSlide([scene, heading, body]: SampleSlideshow["slides"][number], pictures: SampleMediaFiles["pictures"]) {
  return {
    image_url: pictures.get(scene)?.url ?? null,
    text_elements: [
      { content: heading, x: 50, y: HEADING_Y, font_size: HEADING_SIZE },
      ...(body ? [{ content: body, x: 50, y: BODY_Y, font_size: BODY_SIZE }] : []),
    ],
  };
}

async function createFolders(call: Call, video: SampleFile, pictures: SampleMediaFiles["pictures"]): Promise<void> {
  const pick = (...scenes: string[]) => scenes.flatMap((scene) => pictures.get(scene)?.id ?? []);
  const folders: [name: string, ids: string[]][] = [
    [
      "Bergen and around",
      [video.id, ...pick("first-light-on-the-pier", "coloured-houses-at-the-harbour", "summit-at-sunrise")],
    ],
    ["Shop", pick("linen-on-the-table", "two-cups")],
  ];
  for (const [name, item_ids] of folders) {
    const folder = await call<{ id: string }>("POST", "/folders", { name, media_type: "upload" });
    await call("POST", `/folders/${folder.id}/items`, { item_ids });
  }
}

/** A pack of landscapes, and a template whose slides take their pictures from it. */
async function createPackAndTemplate(call: Call, pictures: SampleMediaFiles["pictures"]): Promise<void> {
  const pack = await call<{ id: string }>("POST", "/packs", { name: "Bergen, outside" });
  for (const scene of PACKED_SCENES) {
    const image_url = pictures.get(scene)?.url;
    await call("POST", `/packs/${pack.id}/images`, { image_url, file_name: `${scene}.jpg` });
  }
  const text = (content: string, y: number) => ({ id: crypto.randomUUID(), content, x: 50, y });
  await call("POST", "/templates", {
    name: "Three places and a question",
    description: "A title, three places with one tip each, and a question to answer in the comments.",
    visibility: "workspace",
    config: {
      version: 1,
      structure: {
        slides: [
          "Three places for …",
          "The first place",
          "The second place",
          "The third place",
          "Which one is yours?",
        ].map((content) => ({
          type: "pack",
          id: crypto.randomUUID(),
          pinnedImageUrl: null,
          textElements: [text(content, HEADING_Y)],
        })),
      },
      content: { mode: "manual", productId: null, slideshowType: "educational" },
      visuals: {
        packId: pack.id,
        aspectRatio: "4:5",
        textSettings: { fontSize: "default", preset: "tiktok", width: "default" },
      },
    },
  });
}

/** The words that the fake recognizes are tones in the video, so that its captions are what was said. */
async function createProject(call: Call, video: SampleFile): Promise<void> {
  const project = await call<{ project_id: string; updated_at: string }>("POST", "/editor/projects", {
    title: "Twelve seconds of Bergen",
    file_ids: [video.id],
  });
  await call("POST", `/editor/projects/${project.project_id}/captions`, { expected_updated_at: project.updated_at });
}
