// Requests that the service makes of itself for a person with a session or a link: the actor stands beside the request, not in it, so
// that nothing a client sends can name one.
import type { Actor, InternalActor, KeyActor } from "../shared/actor.ts";
import type { Resource } from "../shared/resources.ts";
import type { Caller } from "./pipeline-state.ts";

const actorByRequest = new WeakMap<Request, InternalActor>();

export function setRequestActor(request: Request, actor: InternalActor): void {
  actorByRequest.set(request, actor);
}

export function getRequestActor(request: Request): InternalActor | null {
  return actorByRequest.get(request) ?? null;
}

const resourceByRequest = new WeakMap<Request, Resource>();

/** The token of the request was sent to this resource, which calls the operation for it. */
export function setRequestResource(request: Request, resource: Resource): void {
  resourceByRequest.set(request, resource);
}

export function getRequestResource(request: Request): Resource {
  return resourceByRequest.get(request) ?? "api";
}

export function toKeyActor({ id, publicId, scope, permissions }: Caller): KeyActor {
  return { kind: publicId.startsWith("gr_") ? "grant" : "key", id, publicId, scope, permissions };
}

/** Describes any caller as a key is described. Idempotency keys of a person are separate in each workspace. */
export function toCredential(actor: Actor): Caller {
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
