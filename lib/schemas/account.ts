// Social accounts in the response of GET /accounts.
import * as z from "zod";
import { DAY_SECONDS } from "../shared/durations.ts";
import { PLATFORMS } from "../shared/platforms.ts";
import { Id, Instant, WebUrl } from "./common.ts";
import { CONTENT_KINDS, EDITABLE_FIELDS } from "./content-kinds.ts";

const ContentKind = z.enum(CONTENT_KINDS);

const CapabilitiesOut = z.object({
  supported_content_kinds: z.array(ContentKind),
  caption_limit: z.number(),
  caption_unit: z.string(),
  media_limits: z.object({
    max_images: z.number(),
    max_videos: z.number(),
    min_video_seconds: z.number().optional(),
    max_video_seconds: z.number().optional(),
  }),
  unsupported_content_kind_reasons: z.partialRecord(ContentKind, z.string()),
  alt_text_limit: z.number().nullable(),
  first_comment_limit: z.number().nullable(),
  thread: z.boolean(),
  link_card: z.boolean(),
  cover: z.object({ url: z.boolean(), timestamp: z.boolean(), index: z.boolean() }),
  unpublish: z.boolean(),
  edit_published: z.array(z.enum(EDITABLE_FIELDS)),
  options: z.array(z.string()),
  settings_schema: z.record(z.string(), z.unknown()),
});

export const Account = z
  .object({
    id: Id,
    platform: z.string(),
    type: z.enum(["byo", "hosted"]),
    username: z.string(),
    display_name: z.string(),
    status: z.string(),
    workspace_id: Id.nullable(),
    reconnect_by: z.iso.datetime().nullable(),
    capabilities: CapabilitiesOut,
  })
  .meta({ id: "Account" });

export const AccountList = z.object({
  scope: z.enum(["workspace", "personal"]),
  owner_user_id: z.string(),
  workspace_id: Id.nullable(),
  accounts: z.array(Account),
});

export const AccountQuery = z.object({
  status: z.enum(["all", "active", "paused", "disconnected"]).default("active"),
});

const Choice = z.object({ id: z.string(), name: z.string(), privacy: z.string().optional() }).meta({ id: "Choice" });
const Choices = z.array(Choice).optional();

export const AccountOptions = z
  .object({
    account_id: Id,
    fetched_at: Instant,
    options: z.object({
      boards: Choices,
      board_sections: Choices,
      playlists: Choices,
      categories: Choices,
      privacy_levels: Choices,
      topics: Choices,
    }),
  })
  .meta({ id: "AccountOptions" });

export const AccountOptionsQuery = z.strictObject({
  board_id: z.string().max(128).regex(/^\d+$/, "Must be the id of a board, which consists of digits.").optional(),
  refresh: z
    .enum(["true", "false"])
    .default("false")
    .transform((text) => text === "true"),
});
export type AccountOptionsQuery = z.output<typeof AccountOptionsQuery>;

export const AccountDisconnected = z.object({
  id: Id,
  status: z.literal("disconnected"),
  revoked: z.boolean(),
});

export const ConnectLinkCreate = z
  .strictObject({
    platforms: z
      .array(z.enum(PLATFORMS))
      .min(1)
      .max(PLATFORMS.length)
      .refine((platforms) => new Set(platforms).size === platforms.length, "Must not repeat a network.")
      .optional(),
    redirect_url: WebUrl.optional(),
    expires_in: z
      .int()
      .min(60)
      .max(30 * DAY_SECONDS)
      .default(DAY_SECONDS),
    label: z.string().trim().min(1).max(80).optional(),
  })
  .meta({ id: "ConnectLinkCreate" });

export const ConnectLinkCreated = z.object({
  id: Id,
  url: z.string(),
  expires_at: Instant,
});

export const ConnectLink = z
  .object({
    id: Id,
    status: z.enum(["open", "used", "expired"]),
    platforms: z.array(z.string()).nullable(),
    label: z.string().nullable(),
    redirect_url: z.string().nullable(),
    accounts: z.array(z.object({ id: Id, platform: z.string(), username: z.string(), display_name: z.string() })),
    expires_at: Instant,
    created_at: Instant,
  })
  .meta({ id: "ConnectLink" });

export const ConnectLinkDeleted = z.object({ id: Id, deleted: z.literal(true) });
