// Describes in words the permissions and accounts of a key or grant.
import type { ListedAccount } from "../../lib/queries/accounts.ts";
import { DRAFT_PERMISSIONS, type Permission, READ_PERMISSIONS } from "../../lib/shared/permissions.ts";
import { PLATFORM_DETAILS } from "../../lib/shared/platforms.ts";

export type NamedAccount = Pick<ListedAccount, "id" | "platform" | "username">;

/** Null: all permissions. */
export const PRESETS: Record<string, { label: string; permissions: readonly Permission[] | null }> = {
  all: { label: "Everything", permissions: null },
  read: { label: "Read only", permissions: READ_PERMISSIONS },
  drafts: { label: "Drafts only: a person publishes what it prepares", permissions: DRAFT_PERMISSIONS },
};

export const describeAccount = ({ platform, username }: NamedAccount) =>
  `${PLATFORM_DETAILS[platform].name} ${username}`;

/** The permissions by the name of their preset, where they have one. */
export function describePermissions(permissions: readonly Permission[] | null): string {
  const preset = Object.values(PRESETS).find((one) => one.permissions?.join() === permissions?.join());
  return preset?.label ?? (permissions ?? []).join(", ");
}

/** The accounts that it may see; one that is gone is counted. */
export function describeAccounts(ids: readonly string[], accounts: readonly NamedAccount[]): string {
  if (ids.length === 0) return "No account";
  const names = accounts.filter(({ id }) => ids.includes(id)).map(describeAccount);
  return `Only ${names.join(", ") || `${ids.length} accounts that are gone`}`;
}
