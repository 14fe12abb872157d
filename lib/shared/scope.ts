// The tenant whose rows an API key may access.

/** A workspace, or an owner outside of any workspace. */
export interface Scope {
  /** The workspace id, or the owner id for a key that belongs to no workspace. */
  id: string;
  ownerId: string;
  workspaceId: string | null;
  /** The accounts that a limited key may see; null or absent: all. lib/queries/scope.ts applies it. */
  accountIds?: readonly string[] | null;
}
