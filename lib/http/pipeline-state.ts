// The state of one request that the steps of the pipeline share, as variables of the Hono context. Read with `c.get` where every
// request passes: each use of `c.var` copies all of them.
import type { Context, MiddlewareHandler } from "hono";
import type { Credential, CredentialStatus } from "../queries/keys.ts";
import type { Read } from "../queries/read.ts";
import type { Services } from "../services/context.ts";
import type { Actor } from "../shared/actor.ts";
import type { ApiError } from "../shared/errors.ts";
import type { Result } from "../shared/result.ts";

/** A verified caller: a key, a grant or a signed-in person. */
export type Caller = Omit<Credential, "secretHash" | "resource">;

/** A caller whose verification has been sent. */
export interface VerifiedCaller extends Caller, Pick<CredentialStatus, "hasWebhooks"> {}

export interface PipelineEnv {
  Bindings: Record<string, unknown>;
  Variables: {
    requestId: string;
    /** The id of the endpoint. */
    operation: string;
    /** Undefined while the settings are invalid, as are later variables until their step. */
    services: Services;
    /** When the request was received, in real time. */
    now: Date;
    /** Public id of the caller, for the log; "-" until the token is read. */
    keyName: string;
    /** Headers of the response, whether it is a success or an error. */
    headers: Record<string, string>;
    /** Set with the credential. */
    actor: Actor;
    /** Cached or verified. */
    credential: Caller;
    /** Reads key and plan from the database; undefined for an internal actor. */
    verification: Read<VerifiedCaller>;
    /** The verification once it is sent. Its error takes precedence over all later ones. */
    authentication: Promise<Result<VerifiedCaller>> | undefined;
    idempotencyKey: string | null;
    /** Hash of operation, path and body; empty without an idempotency key. */
    fingerprint: string;
    /** The error that is returned, for the log. */
    failure: ApiError | undefined;
    /** Set once the request is valid: rate limits are consumed from here on. */
    isValid: boolean;
  };
}

/** The values that the validators stored; their types are those of the endpoint's spec. */
interface ValidatedInput {
  in: { param: Record<string, string>; query: object | undefined; json: unknown };
  out: { param: Record<string, string>; query: unknown; json: unknown };
}

export type PipelineContext = Context<PipelineEnv, string, ValidatedInput>;
export type PipelineStep = MiddlewareHandler<PipelineEnv, string, ValidatedInput>;
