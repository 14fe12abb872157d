// Requests that the service makes of itself for a person with a session or a link: the actor stands beside the request, not in it, so
// that nothing a client sends can name one.
import type { Credential } from "../queries/keys.ts";
import type { Actor, InternalActor, KeyActor } from "../shared/actor.ts";

const actorByRequest = new WeakMap<Request, InternalActor>();

export function setRequestActor(request: Request, actor: InternalActor): void {
  actorByRequest.set(request, actor);
}

export function getRequestActor(request: Request): InternalActor | null {
  return actorByRequest.get(request) ?? null;
}

export function toKeyActor({ id, publicId, scope, permissions }: Omit<Credential, "secretHash">): KeyActor {
  return { kind: publicId.startsWith("gr_") ? "grant" : "key", id, publicId, scope, permissions };
}

/** Describes any caller as a key is described. Idempotency keys of a person are separate in each workspace. */
export function toCredential(actor: Actor): Omit<Credential, "secretHash"> {
  const { scope, permissions } = actor;
  if ("publicId" in actor) return { id: actor.id, publicId: actor.publicId, scope, permissions };
  const prefix = actor.kind === "member" ? "user" : "link";
  return { id: `${actor.id}.${scope.id}`, publicId: `${prefix}_${actor.id}`, scope, permissions };
}

/** As the audit log names the actor. */
export function getActorName(actor: Actor): string {
  if (actor.kind === "member") return actor.email;
  return actor.kind === "link" ? actor.recipient : actor.publicId;
}
