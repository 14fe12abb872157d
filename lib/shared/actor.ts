// Who causes a request: an API key, a grant of a client application, or a person who is signed in.
import type { Permission, Role } from "./permissions.ts";
import type { Scope } from "./scope.ts";

export type Actor = KeyActor | MemberActor;

export interface KeyActor {
  kind: "key" | "grant";
  id: string;
  /** The part of the token before the dot. */
  publicId: string;
  scope: Scope;
  /** Null means all. */
  permissions: readonly Permission[] | null;
}

export interface MemberActor {
  kind: "member";
  /** The person's user id. */
  id: string;
  email: string;
  role: Role;
  scope: Scope;
  permissions: readonly Permission[] | null;
  plan: { tier: string | null; subscription: string | null; paidUntil: Date | null };
}
