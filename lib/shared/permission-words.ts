// Describes each permission to the person who gives it to a program.
import type { Permission } from "./permissions.ts";

export const PERMISSION_WORDS: Record<Permission, string> = {
  "accounts:read": "See accounts and what each can publish",
  "accounts:write": "Connect and disconnect accounts",
  "posts:read": "See posts",
  "posts:write": "Write drafts, and ask for their approval",
  "posts:publish": "Publish, schedule and take down posts",
  "posts:approve": "Approve drafts of others",
  "files:read": "See files",
  "files:write": "Upload and delete files",
  "content:read": "See slideshows, templates, packs and folders",
  "content:write": "Make and change slideshows, templates, packs and folders",
  "editor:read": "See video projects",
  "editor:write": "Cut and caption video projects",
  "research:read": "Read trends and the viral library",
  "analytics:read": "See analytics",
  "analytics:write": "Choose accounts whose numbers are tracked",
  "workspace:read": "See the workspace, its plan and its requests",
  "workspace:write": "Change the time zone of the workspace",
  "events:read": "Read what happens in the workspace",
  "webhooks:read": "See webhooks",
  "webhooks:write": "Send what happens to an address of its choice",
};
