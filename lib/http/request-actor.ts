// Requests that the service makes of itself for a signed-in person: the actor stands beside the request, not in it, so
// that nothing a client sends can name one.
import type { Credential } from "../queries/keys.ts";
import type { Actor, KeyActor, MemberActor } from "../shared/actor.ts";

const actorByRequest = new WeakMap<Request, MemberActor>();

export function setRequestActor(request: Request, actor: MemberActor): void {
  actorByRequest.set(request, actor);
}

export function getRequestActor(request: Request): MemberActor | null {
  return actorByRequest.get(request) ?? null;
}

export function toKeyActor({ id, publicId, scope, permissions }: Credential): KeyActor {
  return { kind: publicId.startsWith("gr_") ? "grant" : "key", id, publicId, scope, permissions };
}

/** What the pipeline knows of any caller. Idempotency keys of a person are separate in each workspace. */
export function toCredential(actor: Actor): Omit<Credential, "secretHash"> {
  const { scope, permissions } = actor;
  if (actor.kind !== "member") return { id: actor.id, publicId: actor.publicId, scope, permissions };
  return { id: `${actor.id}.${scope.id}`, publicId: `user_${actor.id}`, scope, permissions };
}
