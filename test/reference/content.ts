// The examples of slideshows, templates, packs, folders and the editor.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SPOKEN_WORDS, uploadFile } from "../editor/factories.ts";
import { uploadFile as uploadBytes } from "../files/upload-file.ts";
import type { Tenant } from "../support/harness.ts";
import { createSpokenVideo } from "../transcription/spoken-video.ts";
import type { PublishedFiles } from "./publishing.ts";
import type { Recorder } from "./recorder.ts";

const PICTURE = join(import.meta.dirname, "../media/fixtures/picture.png");
const text = (content: string, y: number) => ({ content, x: 50, y });

export async function sendContentExamples(
  { send }: Recorder,
  tenant: Tenant,
  { fileId }: PublishedFiles,
): Promise<void> {
  const image = await uploadBytes(tenant.api, "image/png", await readFile(PICTURE));
  const imageUrl = image.body.data.file.url;

  const pack = await send("packs.create", { title: "A private pack", body: { name: "Tea shelves" } });
  const added = await send("packs.add-image", {
    title: "An uploaded image",
    params: { packId: pack.id },
    body: { image_url: imageUrl, file_name: "shelf.png" },
  });
  await send("packs.list", { title: "Own packs", query: { include_public: "false" } });
  await send("packs.get", { title: "A pack with an image", params: { packId: pack.id } });
  await send("packs.update", {
    title: "Another name",
    params: { packId: pack.id },
    body: { name: "Tea shelves, 2026" },
  });

  const show = await send("slideshows.create", {
    title: "Two slides",
    body: {
      title: "Three reasons for tea",
      settings: { aspect_ratio: "4:5" },
      slides: [
        { text_elements: [text("Three reasons for tea", 40)], image_url: null },
        { text_elements: [text("It keeps you awake", 30), text("without keeping you up", 60)], image_url: imageUrl },
      ],
    },
  });
  const params = { slideshowId: show.id };
  await send("slideshows.render", { title: "All slides", params });
  await send("slideshows.get", { title: "A rendered slideshow", params });
  const copy = await send("slideshows.duplicate", { title: "A copy", params });
  const generated = await send("slideshows.generate", {
    title: "From a prompt",
    body: { prompt: "Why tea tastes better in a warm cup", slide_count: 3, pack_id: pack.id },
  });
  await send("slideshows.generate", {
    title: "With a given text and image",
    body: {
      prompt: "Why tea tastes better in a warm cup",
      pack_id: pack.id,
      slide_config: {
        total_slides: 2,
        slide_types: ["image_pack", "custom_image"],
        slide_texts: { "0": "Warm the cup first" },
        custom_images: { "1": { image_url: imageUrl, image_name: "shelf.png" } },
      },
    },
  });
  await send("slideshows.regenerate-slide", {
    title: "The second slide",
    params: { slideshowId: generated.id, index: "1" },
    body: { instruction: "Shorter, with a question" },
  });
  await send("slideshows.update", {
    title: "Another title and ratio",
    params: { slideshowId: copy.id },
    body: { title: "Tea, again", settings: { aspect_ratio: "9:16" } },
  });
  await send("slideshows.list", { title: "Drafts", query: { status: "draft", limit: "2" } });

  const template = await send("templates.from-slideshow", {
    title: "Layout and texts",
    params,
    body: { name: "Two slides with a title" },
  });
  const { config } = await send("templates.get", { title: "A template", params: { templateId: template.id } });
  const [slide] = config.structure.slides;
  const created = await send("templates.create", {
    title: "A slide of another template",
    body: { name: "Titles", config: { ...config, structure: { ...config.structure, slides: [slide] } } },
  });
  await send("templates.list", { title: "By name", query: { search: "two slides" } });
  await send("templates.update", {
    title: "Another description",
    params: { templateId: created.id },
    body: { description: "For product tips" },
  });
  await send("templates.delete", { title: "A template", params: { templateId: created.id } });

  const folder = await send("folders.create", {
    title: "At the root",
    body: { name: "Campaigns", media_type: "upload" },
  });
  const child = await send("folders.create", {
    title: "In another folder",
    body: { name: "Winter", media_type: "upload", parent_folder_id: folder.id },
  });
  const inChild = { folderId: child.id };
  await send("folders.add-items", { title: "A file", params: inChild, body: { item_ids: [fileId] } });
  await send("folders.list-items", { title: "Files", params: inChild });
  await send("folders.ancestors", { title: "Of a nested folder", params: inChild });
  await send("folders.get", { title: "A nested folder", params: inChild });
  await send("folders.list", { title: "At the root", query: { parent_folder_id: "root" } });
  await send("folders.remove-items", { title: "A file", params: inChild, body: { item_ids: [fileId] } });
  await send("folders.update", { title: "To the root", params: inChild, body: { parent_folder_id: null } });
  await send("folders.delete", { title: "With its subfolders", params: { folderId: folder.id } });
  await send("packs.remove-image", { title: "An image", params: { packId: pack.id, imageId: added.id } });
  await send("packs.delete", { title: "A pack", params: { packId: pack.id } });
  await send("slideshows.delete", { title: "A slideshow", params: { slideshowId: copy.id } });
  await sendEditorExamples({ send }, tenant);
}

async function sendEditorExamples({ send }: Pick<Recorder, "send">, { api }: Tenant): Promise<void> {
  const spoken = await uploadFile(api, await createSpokenVideo(4000, SPOKEN_WORDS), "video/quicktime");
  const project = await send("editor.create", {
    title: "From a file",
    body: { title: "Tea, cut 1", file_ids: [spoken] },
  });
  const params = { projectId: project.project_id };
  const captioned = await send("editor.captions", {
    title: "Of the current cut",
    params,
    body: { note: "Captions for the first cut" },
  });
  await send("editor.transcript", { title: "With words", params });
  await send("editor.get", { title: "A captioned project", params });
  await send("editor.list", { title: "The newest", query: { limit: "2" } });
  await send("editor.update", {
    title: "Another title",
    params,
    body: { expected_updated_at: captioned.updated_at, title: "Tea, cut 2" },
  });
  await send("editor.delete", { title: "A project", params });
}
