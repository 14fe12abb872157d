// Whose rows a key sees.

/** The tenant a key sees: a workspace, or an owner's rows that belong to no workspace. */
export interface Scope {
  /** The workspace id, or the owner id of a personal key. */
  id: string;
  ownerId: string;
  workspaceId: string | null;
}
