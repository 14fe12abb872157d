// Permissions of callers: every operation needs one, and a key or a role has a list of them.

export const PERMISSIONS = [
  "accounts:read",
  "accounts:write",
  "posts:read",
  "posts:write",
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

/** A workspace's members, from most to least permitted. */
export const ROLES = ["owner", "admin", "editor", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** The roles that permit what `least` permits. */
export function listRolesFrom(least: Role): Role[] {
  return ROLES.slice(0, ROLES.indexOf(least) + 1);
}

const READ_PERMISSIONS = PERMISSIONS.filter((permission) => permission.endsWith(":read"));

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
