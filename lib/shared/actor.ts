// The actor of a request: an API key, a grant of a client application, a person who is signed in, or one with a link.
import type { Permission, Role } from "./permissions.ts";
import type { Scope } from "./scope.ts";

export type Actor = KeyActor | InternalActor;

/** An actor that the pages for people name, in place of a token. */
export type InternalActor = MemberActor | LinkActor;

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

/** A person without an account here, who was sent an approval link. */
export interface LinkActor extends Pick<MemberActor, "scope" | "permissions" | "plan"> {
  kind: "link";
  /** The id of the link. */
  id: string;
  /** Whom the link was made for. */
  recipient: string;
}
