// The settings_schema of GET /accounts matches the settings that posts accept.
import { expect, test } from "vitest";
import * as z from "zod";
import { getCapabilities } from "../../lib/platforms/capabilities.ts";
import { PinterestSettings, PostSettings, TikTokSettings } from "../../lib/schemas/post-settings.ts";
import { PLATFORMS, type Platform } from "../../lib/shared/platforms.ts";

type Schema = { [keyword: string]: unknown };

function getSettingsSchema(platform: Platform): z.ZodType {
  // Named schemas would be converted to references.
  if (platform === "tiktok") return z.strictObject(TikTokSettings.shape);
  if (platform === "pinterest") return z.strictObject(PinterestSettings.shape);
  return PostSettings.in.shape[platform === "twitter" ? "x" : platform];
}

/** The parts to compare: names, choices and limits. Defaults and descriptions are on one side only. */
function toOutline(schema: Schema): Schema {
  const { enum: choices, maxLength, maxItems, minimum, additionalProperties, properties, required, items } = schema;
  const parts = Object.entries((properties ?? {}) as Record<string, Schema>);
  return {
    ...{ choices, maxLength, maxItems, minimum, additionalProperties, required },
    properties: Object.fromEntries(parts.map(([name, part]) => [name, toOutline(part)])),
    items: items && toOutline(items as Schema),
  };
}

test.each(PLATFORMS)("%s: the described settings match the accepted ones", (platform) => {
  const described = toOutline(getCapabilities(platform, "byo").settingsSchema);
  const accepted = toOutline(z.toJSONSchema(getSettingsSchema(platform), { io: "input" }) as Schema);
  // A draft can add the board later.
  if (platform === "pinterest") expect(described.required).toEqual(["board_id"]);
  expect({ ...described, required: undefined }).toEqual({ ...accepted, required: undefined });
});

test.each([
  ["2031-01-01T00:00:00+0200", "2030-12-31T22:00:00.000Z"],
  ["2031-01-01T00:00+02:00", "2030-12-31T22:00:00.000Z"],
  ["2031-01-01T00:00:00Z", "2031-01-01T00:00:00.000Z"],
])("youtube.publishAt accepts %s", (publishAt, instant) => {
  const { data } = PostSettings.safeParse({ youtube: { privacy: "private", publishAt } });
  expect(data).toEqual({ youtube: { privacy: "private", publishAt: instant } });
});

test.each(["2031-01-01T00:00:00", "2031-02-30T00:00:00Z", "tomorrow"])("youtube.publishAt rejects %s", (publishAt) => {
  const { error } = PostSettings.safeParse({ youtube: { privacy: "private", publishAt } });
  expect(error?.issues).toMatchObject([{ path: ["youtube", "publishAt"] }]);
});
