// Bodies that are accepted as they are, for operations whose fields depend on each other.

import { DAY_MS } from "../../lib/shared/durations.ts";
import type { Sender } from "./generate-value.ts";
import type { Random } from "./random.ts";
import { buildTemplateConfig } from "./tenants.ts";

type Build = (random: Random, sender: Sender) => Record<string, unknown>;

const buildPost: Build = (random, { tenant }) => ({
  caption: `Lamp ${random.hex(8)}`,
  accounts: [{ id: random.pick(tenant.records.account.slice(0, 2)) }],
  ...random.pick([{}, { media: { type: "slideshow", urls: [tenant.fileUrls[1]] } }, { settings: { threads: {} } }]),
  ...(random.chance(0.9) ? { scheduled_at: new Date(Date.now() + DAY_MS).toISOString() } : {}),
  ...(random.chance(0.2) ? { external_id: random.hex(12) } : {}),
});

const buildSlide = (random: Random, image: string | undefined) => ({
  text_elements: [{ content: `Tea ${random.hex(4)}`, x: 50, y: 40 }],
  image_url: random.chance(0.5) ? image : null,
});

const buildSlideshow: Build = (random, { tenant }) => ({
  title: `Slides ${random.hex(6)}`,
  slides: Array.from({ length: random.between(1, 3) }, () => buildSlide(random, tenant.fileUrls[1])),
});

/** By operation. */
export const VALID_BODIES: Record<string, Build> = {
  "posts.create": buildPost,
  "posts.prepare": buildPost,
  "posts.update": (random) => ({ caption: `Changed ${random.hex(8)}` }),
  "slideshows.create": buildSlideshow,
  "slideshows.update": (random, sender) => ({ slides: buildSlideshow(random, sender).slides }),
  "slideshows.generate": (random, { tenant }) => ({
    prompt: `Three reasons for ${random.hex(4)}`,
    slide_count: random.between(1, 3),
    pack_id: random.pick([null, tenant.records.pack[0]]),
  }),
  "templates.create": (random, { tenant }) => ({ name: random.hex(12), config: buildTemplateConfig(tenant) }),
  "templates.update": (_random, { tenant }) => ({ config: buildTemplateConfig(tenant) }),
  "folders.create": (random, { tenant }) => ({
    name: random.hex(12),
    media_type: "upload",
    parent_folder_id: random.pick([null, tenant.records.folder[0]]),
  }),
  "editor.create": (random, { tenant }) => ({ title: random.hex(6), file_ids: [tenant.records.file[0]] }),
  "packs.add-image": (_random, { tenant }) => ({ image_url: tenant.fileUrls[1] }),
};
