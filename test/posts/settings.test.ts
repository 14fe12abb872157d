// The settings that GET /accounts describes for a composer, and those that a post takes: the same ones.
import { expect, test } from "vitest";
import * as z from "zod";
import { capabilitiesOf } from "../../lib/platforms/capabilities.ts";
import { PLATFORMS, type Platform } from "../../lib/platforms/platform.ts";
import { PinterestSettings, PostSettings, TikTokSettings } from "../../lib/schemas/post-settings.ts";

type Schema = { [keyword: string]: unknown };

function takenBy(platform: Platform): z.ZodType {
  // Named schemas would be printed as references.
  if (platform === "tiktok") return z.strictObject(TikTokSettings.shape);
  if (platform === "pinterest") return z.strictObject(PinterestSettings.shape);
  return PostSettings.in.shape[platform === "twitter" ? "x" : platform];
}

/** What can drift: names, choices and limits. Defaults and descriptions stand on one side only. */
function outline(schema: Schema): Schema {
  const { enum: choices, maxLength, maxItems, minimum, additionalProperties, properties, required, items } = schema;
  const parts = Object.entries((properties ?? {}) as Record<string, Schema>);
  return {
    ...{ choices, maxLength, maxItems, minimum, additionalProperties, required },
    properties: Object.fromEntries(parts.map(([name, part]) => [name, outline(part)])),
    items: items && outline(items as Schema),
  };
}

test.each(PLATFORMS)("%s: described as they are taken, name by name and limit by limit", (platform) => {
  const described = outline(capabilitiesOf(platform, "byo")?.settingsSchema ?? {});
  const taken = outline(z.toJSONSchema(takenBy(platform), { io: "input" }) as Schema);
  // A draft may name its board later.
  if (platform === "pinterest") expect(described.required).toEqual(["board_id"]);
  expect({ ...described, required: undefined }).toEqual({ ...taken, required: undefined });
});
