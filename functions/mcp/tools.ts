// The tools: each is an endpoint of the API, with what a model needs to know before it calls it.
import type { Endpoint } from "../../lib/http/endpoint-spec.ts";
import type { Permission } from "../../lib/shared/permissions.ts";
import { AS_PREPARED, IDS_OF_ACCOUNTS, POST_FIELDS, TIME } from "./post-arguments.ts";
import { UPLOAD_APP_URI } from "./resources.ts";

export interface Tool {
  title: string;
  /** The endpoint's; here, so that a call without it loads nothing. */
  permission: Permission;
  description: string;
  /** As MCP names them: https://modelcontextprotocol.io/specification/2026-07-28/server/tools, read 2026-11-28. */
  hints: readonly Hint[];
  /** The form that hosts of MCP Apps show beside its result. */
  app?: string;
  load(): Promise<{ default: Endpoint }>;
  /** Names that the schema leaves out: other names of a field, and fields that no agent needs. */
  omitted?: readonly string[];
  /** By path, what a field is, in place of its whole schema. */
  replaced?: Readonly<Record<string, object>>;
  /** Descriptions of fields, by path. */
  described?: Readonly<Record<string, string>>;
}

/** Absent ones are false, and sent as such. */
type Hint = "readOnly" | "destructive" | "idempotent" | "openWorld";

const READ: readonly Hint[] = ["readOnly", "idempotent"];
/** It asks a network or another host. */
const READ_OUTSIDE: readonly Hint[] = [...READ, "openWorld"];

const ONLY = "Only these; all without it.";

export const TOOLS: Readonly<Record<string, Tool>> = {
  get_context: {
    title: "Get context",
    permission: "workspace:read",
    description:
      "Returns the workspace, its time zone, the time now in UTC, and what this key may do: without can_publish it prepares drafts only, and account_ids limits it to some accounts. Call it first, then list_accounts.",
    hints: READ,
    load: () => import("./get-context.ts"),
  },
  list_accounts: {
    title: "List accounts",
    permission: "accounts:read",
    description:
      "Lists the connected accounts with id, network, status and what each accepts. Only active ones publish; people connect others in the dashboard. Next: get_account_rules for one account, or prepare_post with account ids.",
    hints: READ,
    load: () => import("../accounts/list.ts"),
    described: { status: "Which to list." },
  },
  get_account_rules: {
    title: "Get rules of an account",
    permission: "accounts:read",
    description:
      "Returns what one account accepts: kinds of content, the caption limit and its unit, numbers of images, seconds of video, first comment, thread, and settings_schema with the fields of settings of its network. Read it before prepare_post for an unfamiliar network.",
    hints: READ,
    load: () => import("./get-account-rules.ts"),
  },
  list_account_options: {
    title: "List options of an account",
    permission: "accounts:read",
    description:
      "Lists what an account can choose from at its network now: Pinterest boards, YouTube playlists and categories, TikTok privacy levels. A Pinterest post needs a board_id, a TikTok post a privacy_level.",
    hints: READ_OUTSIDE,
    load: () => import("../accounts/options.ts"),
    described: { board_id: "Lists the sections of this board.", refresh: '"true" asks the network again.' },
  },
  create_upload: {
    title: "Create an upload ticket",
    permission: "files:write",
    description:
      "First step for a local file; this server cannot read local paths. Returns uploadUrl, valid for 600 s: PUT the raw bytes there with exactly the returned headers (curl -T FILE -H 'Content-Type: ...' URL), then complete_upload. JPEG, PNG, WebP and GIF to 20 MiB, MP4, MOV and WebM to 5 GiB. If you cannot PUT, use import_file.",
    hints: [],
    app: UPLOAD_APP_URI,
    load: () => import("../files/start.ts"),
    omitted: [
      "metadata",
      "duration_seconds",
      "duration_sec",
      "duration",
      "width",
      "height",
      "mime_type",
      "mime",
      "bytes",
    ],
    described: {
      size: "Exact bytes; needed above 100 MiB.",
      contentType: "Such as video/mp4.",
      filename: "Shown to people.",
    },
  },
  complete_upload: {
    title: "Complete an upload",
    permission: "files:write",
    description:
      "Second step, after the PUT: verifies the bytes and returns the file. Use file.url in media; fit says per network whether it is accepted, and what to change if not. Safe to repeat.",
    hints: ["idempotent"],
    load: () => import("../files/finalize.ts"),
    described: { file_id: "The id that create_upload returned." },
  },
  import_file: {
    title: "Import a file by URL",
    permission: "files:write",
    description:
      "Copies a public http(s) URL, which must name its size, into a verified file and returns it, with file.url for media and fit per network. Not for local paths, pages, or links that need a sign-in. Same types and sizes as create_upload; may take minutes.",
    hints: ["openWorld"],
    load: () => import("./import-file.ts"),
    described: { url: "Leads to the file itself." },
  },
  prepare_post: {
    title: "Prepare a draft of a post",
    permission: "posts:write",
    description:
      "Stores a draft for 1 to 10 accounts and checks it for each; publishes nothing. Repair what checks[].problems name with update_post. Then commit_post with plan_hash, or request_approval if a person decides.",
    hints: [],
    load: () => import("../posts/prepare.ts"),
    ...POST_FIELDS,
  },
  commit_post: {
    title: "Publish a draft",
    permission: "posts:publish",
    description:
      "Publishes a draft at once, or at its time; visible to the public, so let the user confirm. plan_hash of prepare_post refuses with plan_changed if the draft has changed. Accepted is not published: read get_post until no account is pending.",
    hints: ["destructive", "openWorld"],
    load: () => import("../posts/commit.ts"),
    replaced: { scheduled_at: { description: `${TIME} Absent: the draft's time; null: at once.` } },
    described: { plan_hash: "Of prepare_post or update_post." },
  },
  request_approval: {
    title: "Request an approval",
    permission: "posts:write",
    description:
      "Makes a link on which a person without an account sees a draft as it is now and approves it, which publishes it at its time, or asks for a change. Give url to the user; it is not shown again. A later change of the draft ends it. Then read get_post.",
    // The page is public to whoever has the link.
    hints: ["openWorld"],
    load: () => import("../approvals/create.ts"),
    described: {
      recipient: "The person, in words.",
      message: "Stands above the post.",
      expires_in: "Seconds; 7 days by default.",
    },
  },
  get_post: {
    title: "Get a post, and why it failed",
    permission: "posts:read",
    description:
      "Returns one post with the state of each account: status, published_url, error_code and error_message with why it failed and what to do, next_attempt_at, waiting_for. Then retry_post or update_post.",
    hints: READ,
    load: () => import("../posts/get.ts"),
  },
  list_posts: {
    title: "List posts",
    permission: "posts:read",
    description:
      "Lists posts, newest first, with the states of their accounts, and a summary of all. For why one failed: get_post.",
    hints: READ,
    load: () => import("../posts/list.ts"),
    described: {
      status: ONLY,
      limit: "1 to 100 per page; 20 without it.",
      since: "UTC instant; made then or later.",
      until: "UTC instant; made then or before.",
    },
  },
  update_post: {
    title: "Change a draft or post",
    permission: "posts:write",
    description:
      "Changes a draft, or a scheduled or failed post that is not out. Only fields that are sent change; null clears one; accounts replaces the whole list. A changed draft has new checks and a new plan_hash. Not for what is published: unpublish_post.",
    hints: ["destructive"],
    load: () => import("../posts/update.ts"),
    omitted: ["external_id"],
    replaced: {
      accounts: { type: "array", description: "As in prepare_post." },
      ...Object.fromEntries(["media", "thread", "link"].map((name) => [name, AS_PREPARED])),
      scheduled_at: { description: "As in prepare_post; null publishes a scheduled post now." },
      ...Object.fromEntries(["settings", "tiktok", "pinterest"].map((name) => [name, AS_PREPARED])),
    },
    described: {
      caption: "The whole new text.",
      expected_updated_at: "Refuses with post_conflict if changed since.",
      draft: "true makes a scheduled post a draft.",
    },
  },
  retry_post: {
    title: "Retry a failed post",
    permission: "posts:publish",
    description:
      "Publishes again on the accounts where a post failed. First read error_message by get_post: content errors need update_post instead. Where the outcome is unknown, resend: true may publish twice; let the user decide.",
    hints: ["destructive", "openWorld"],
    load: () => import("../posts/retry.ts"),
    described: { account_ids: IDS_OF_ACCOUNTS, resend: "May publish twice." },
  },
  unpublish_post: {
    title: "Take a post down",
    permission: "posts:publish",
    description:
      "Deletes a published post at its networks; cannot be undone, so let the user confirm. Each account has a result: unpublished, already_gone, not_supported (delete it in the network's app) or failed.",
    hints: ["destructive", "idempotent", "openWorld"],
    load: () => import("../posts/unpublish.ts"),
    described: { account_ids: IDS_OF_ACCOUNTS },
  },
  get_analytics: {
    title: "Get analytics",
    permission: "analytics:read",
    description:
      "Returns what the tracked accounts gained and published in a period, compared with the period before. Give range, or start and end. null is a number that a network does not provide, never zero.",
    hints: READ,
    load: () => import("../analytics/summary.ts"),
    omitted: ["platform", "account_ids", "time_zone"],
    described: {
      range: "Until today.",
      start: "Day such as 2030-01-15.",
      end: "Last day.",
      platforms: "Separated by commas; all without it.",
      accounts: "target ids of an earlier result, separated by commas.",
      timeZone: "IANA name; default UTC.",
    },
  },
  search_viral: {
    title: "Search viral posts",
    permission: "research:read",
    description:
      "Finds viral posts of others by meaning (q, in words) and filters, with hooks and numbers, as examples for new content. 12 per page, at most 40. To see what works for a topic now: get_trend_brief.",
    hints: READ,
    load: () => import("../viral-library/search.ts"),
    omitted: ["offset", "app_store_ids", "business_type", "paid_reach", "max_slides"],
    described: {
      q: "What it is about, in words.",
      category: ONLY,
      platform: ONLY,
      content_type: ONLY,
      account: "Handle of an account.",
      product_name: "A product that it shows.",
      sponsored: "true: only paid promotion.",
      language: "Codes such as en,de.",
      published_since: "Day such as 2030-01-15.",
      published_until: "Last day.",
      sort: "relevance needs q.",
      limit: "Per page; 12 without it.",
    },
  },
  get_trend_brief: {
    title: "Get a trend brief",
    permission: "research:read",
    description:
      "Returns what TikTok videos about a keyword had in common in the last 24 hours, 7 or 30 days: hashtags, sounds, hours in UTC, hook ideas. matched says on how many videos it rests; few means little evidence.",
    hints: READ,
    load: () => import("../trends/brief.ts"),
    described: {
      platform: "TikTok alone has briefs.",
      keyword: "A word or hashtag.",
      limit: "Entries per list; 10 without it.",
      range: "Until now.",
    },
  },
  generate_slideshow: {
    title: "Generate a slideshow",
    permission: "content:write",
    description:
      "Makes a slideshow about a prompt as a draft: texts by a language model, backgrounds from an image pack. Takes up to a minute. Show the texts to the user, then render_slideshow.",
    hints: ["openWorld"],
    load: () => import("../slideshows/generate.ts"),
    omitted: ["advanced_settings"],
    replaced: { slide_config: { type: "object", description: "Texts and images of single slides; seldom needed." } },
    described: {
      prompt: "The topic, and what to say.",
      product_id: "A product of the workspace to show.",
      pack_id: "Image pack; plain backgrounds without it.",
      slide_count: "Slides.",
      slideshow_type: "Tone of the texts.",
      aspect_ratio: "Width:height; 4:5 without it.",
      language: "Name or code.",
      skip_ai: "true: no texts are written.",
    },
  },
  render_slideshow: {
    title: "Render a slideshow",
    permission: "content:write",
    description:
      "Draws every slide of a slideshow as an image. Put the rendered_image_url of the slides, in order, as urls into media of type slideshow of prepare_post.",
    hints: ["idempotent"],
    load: () => import("../slideshows/render.ts"),
  },
};
