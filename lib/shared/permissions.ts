// Permissions of callers: every operation needs one, and a key or a role has a list of them.
import { type ApiError, apiError } from "./errors.ts";

export const PERMISSIONS = [
  "accounts:read",
  "accounts:write",
  "posts:read",
  // Without the next one: drafts only.
  "posts:write",
  "posts:publish",
  "posts:approve",
  "files:read",
  "files:write",
  "content:read",
  "content:write",
  "editor:read",
  "editor:write",
  "research:read",
  "analytics:read",
  "analytics:write",
  "workspace:read",
  "workspace:write",
  "events:read",
  "webhooks:read",
  "webhooks:write",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** A null list has every permission. */
export function hasPermission(permissions: readonly Permission[] | null, needed: Permission): boolean {
  return permissions === null || permissions.includes(needed);
}

export function missingPermissionError(needed: Permission): ApiError {
  const message = `This operation needs the permission ${needed}, which the caller does not have.`;
  return apiError("missing_permission", message);
}

/** A workspace's members, from most to least permitted. */
export const ROLES = ["owner", "admin", "editor", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** The roles that permit what `least` permits. */
export function listRolesFrom(least: Role): Role[] {
  return ROLES.slice(0, ROLES.indexOf(least) + 1);
}

/** The least role that may let a program into the workspace, by a key or by a grant. */
export const KEY_ROLE: Role = "admin";

export const READ_PERMISSIONS = PERMISSIONS.filter((permission) => permission.endsWith(":read"));

/** Makes content, and leaves to others what goes out, to which accounts, and who is told of it. */
export const DRAFT_PERMISSIONS: readonly Permission[] = [
  ...READ_PERMISSIONS,
  ...(["posts:write", "files:write", "content:write", "editor:write"] as const),
];

/** The permissions of tools for agents: an agent neither connects accounts, nor approves drafts, nor decides who is told of what happens. */
export const AGENT_PERMISSIONS: readonly Permission[] = PERMISSIONS.filter(
  (permission) => !/^(accounts:write|posts:approve|workspace:write|webhooks:.+)$/.test(permission),
);

/** The permissions of a role in the operations of the API; null means all. */
const ROLE_PERMISSIONS: Record<Role, readonly Permission[] | null> = {
  owner: null,
  admin: null,
  // A webhook can send everything that happens in the workspace to any address.
  editor: PERMISSIONS.filter(
    (permission) => !["accounts:write", "webhooks:write", "workspace:write"].includes(permission),
  ),
  viewer: READ_PERMISSIONS,
};

export function getRolePermissions(role: Role): readonly Permission[] | null {
  return ROLE_PERMISSIONS[role];
}
