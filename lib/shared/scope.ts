// The tenant whose rows an API key may access.

/** A workspace, or an owner outside of any workspace, in one of its modes: live, or test, which is a scope of its own. */
export interface Scope {
  /** The workspace id, or the owner id for a key that belongs to no workspace. */
  id: string;
  ownerId: string;
  workspaceId: string | null;
  /** The accounts that a limited key may see; null or absent: all. lib/queries/scope.ts applies it. */
  accountIds?: readonly string[] | null;
  /** Of a test scope; absent in live mode. */
  sandbox?: Sandbox;
}

/** A test scope as it was when its row was read. */
export interface Sandbox {
  scopeId: string;
  /** The scope whose test mode it is, and whose plan it has. */
  liveScopeId: string;
  /** The time by which its clock is ahead of real time. */
  clockOffsetMs: number;
  /** The number of times that it was emptied. */
  resets: number;
}

/** As events and answers name it. */
export type Mode = "live" | "test";
