// Social accounts as GET /accounts shows them.
import * as z from "zod";
import { CONTENT_KINDS } from "../platforms/rules.ts";
import { Id } from "./common.ts";

const ContentKind = z.enum(CONTENT_KINDS);

const CapabilitiesOut = z.object({
  supported_content_kinds: z.array(ContentKind),
  caption_limit: z.number().describe("Maximum caption length after platform and account policy, in caption_unit."),
  caption_unit: z
    .string()
    .describe("What caption_limit counts: utf16, graphemes, utf8_bytes, weighted, emoji_as_bytes."),
  media_limits: z.object({
    max_images: z.number(),
    max_videos: z.number(),
    max_video_seconds: z.number().optional(),
  }),
  unsupported_content_kind_reasons: z.partialRecord(ContentKind, z.string()),
  settings_schema: z.record(z.string(), z.unknown()).describe("JSON Schema for a composer."),
});

const Account = z
  .object({
    id: Id,
    platform: z.string(),
    type: z.enum(["byo", "hosted"]),
    username: z.string(),
    display_name: z.string(),
    status: z.string(),
    workspace_id: Id.nullable(),
    capabilities: CapabilitiesOut,
  })
  .meta({ id: "Account" });

export const AccountList = z.object({
  scope: z.enum(["workspace", "personal"]),
  owner_user_id: z.string(),
  workspace_id: Id.nullable(),
  accounts: z.array(Account),
});
