// The declaration of an endpoint: what it accepts, what it returns, and what it does.
import type { Hono } from "hono";
import type * as z from "zod";
import type { Read } from "../queries/read.ts";
import type { ReadContext, RequestContext, Services } from "../services/context.ts";
import type { ErrorCode, ErrorStatus } from "../shared/errors.ts";
import type { Permission } from "../shared/permissions.ts";
import type { LimitPolicy } from "../shared/rate-limit-headers.ts";
import type { SuccessStatus } from "./envelope.ts";
import type { PipelineEnv } from "./pipeline-state.ts";
import type { Costs, PolicyName } from "./rate-limits.ts";
import type { RoutePattern } from "./route-path.ts";
import type { QueryErrorCodes } from "./validation-errors.ts";

/** The nouns that a path may name: each has an error for a missing id, such as `missing_post_id`. */
type Noun = ToNoun<ErrorCode>;
type ToNoun<Code> = Code extends `missing_${infer Name}_id` ? Name : never;

type Params<P> = { [name in keyof P]: string };

export interface Input<P, Q extends z.ZodType, B extends z.ZodType> {
  params: Params<P>;
  query: z.output<Q>;
  body: z.output<B>;
}

/** A GET may run before its key is verified, so it gets a context that cannot write. */
type HandlerContext<Route> = Route extends WritingGet
  ? RequestContext
  : Route extends `GET ${string}`
    ? ReadContext
    : RequestContext;

/** They ask a network and may renew a token for it. They have limits, and so run after their key is verified. */
type WritingGet = "GET /accounts/{accountId}/options";

/** A family of endpoints may declare these once for all of them; see `family`. */
export interface FamilyDefaults {
  /** The error of a malformed id; by default that of an id that does not exist. */
  malformedIdError?: "not_found" | "invalid_path" | "project_not_found" | "transcript_not_found";
  /** The error of an invalid query: a code, a code with a status of its own, or a code per parameter. */
  queryError?: QueryErrorCodes;
  /** The status of `subscription_required`: 402, or 403 where the contract lists no 402. */
  noPlanStatus?: 402 | 403;
  /** The code of an unexpected error, with status 500. */
  internalError?: ErrorCode;
}

export interface EndpointSpec<
  Route extends RoutePattern,
  P,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  L,
> extends FamilyDefaults {
  route: Route;
  /** A caller needs a key where this is absent. */
  auth?: "public";
  /** The permission of the caller is checked after the plan and before the path. */
  permission: Permission;
  summary: string;
  description?: string;
  /** Each path parameter with the noun it identifies: `{ postId: "post" }` gives 400 missing_post_id, and 404 for what is not a UUID. */
  params?: P & Record<string, Noun>;
  /** Path parameters that are not UUIDs; the handler validates them. */
  nonUuidParams?: readonly (keyof P & string)[];
  query?: Q;
  body?: B;
  /** The schema of `data`; fields that it does not list are left out of the response. */
  reply: R;
  status?: SuccessStatus;
  /** The `message` of a success. */
  message: string;
  /** A second status and message that a success may have. */
  alternateResponse?: { status: SuccessStatus; message: string };
  /** The errors that `load` and `handle` throw. */
  errors?: readonly ErrorCode[];
  /** Statuses of these errors that differ from the catalogue. */
  statuses?: Partial<Record<ErrorCode, ErrorStatus>>;
  /** POST and PATCH support an Idempotency-Key; `required` rejects a request without one. */
  idempotent?: "required";
  /** A retry takes an idempotent execution over after this time; 60 by default. */
  leaseSeconds?: number;
  /** Renews the lease while the handler runs, so that a long execution keeps it and a crashed one loses it soon. */
  heartbeat?: boolean;
  limits?: readonly PolicyName[];
  /** A rate limit that the domain enforces itself: its headers on responses that the domain does not make. */
  ownLimit?: OwnLimit;
  /** A request consumes 1 of each rate limit unless this says otherwise. */
  costs?(input: Input<P, Q, B> & Pick<Services, "env">): Costs;
  /** The shape of body errors: `issues`, or the flat list `fields`. */
  errorFormat?: "issues" | "fields";
  /** The error of a body whose only invalid top-level field is this one; for one of its errors, `field:code`. */
  bodyErrors?: Record<string, ErrorCode>;
  /**
   * Reads that run concurrently with authentication, the claim and the rate limits; a fetch waits for the caller to be accepted.
   * A `Read` is one request to the database with the verification of a known key. `handle` gets the value.
   */
  load?(context: ReadContext & Input<P, Q, B>): Read<L> | PromiseLike<L>;
  handle(context: HandlerContext<Route> & Input<P, Q, B>, loaded: L): Promise<HandlerResult<R>>;
}

export interface OwnLimit {
  getPolicy(env: Services["env"]): LimitPolicy;
  /** The headers with what is left, where it does not depend on the record. */
  peek?(context: Pick<RequestContext, "env" | "redis" | "key" | "receivedAt">): Promise<Record<string, string>>;
}

type HandlerResult<R extends z.ZodType> = z.input<R> | CustomResponse<z.input<R>>;

/** A success whose status, message or headers differ from the declaration. */
export interface CustomResponse<Data> {
  custom: { status: SuccessStatus; message: string; headers?: Record<string, string> };
  data: Data;
}

export function respond<Data>(status: SuccessStatus, message: string, data: Data, headers = {}): CustomResponse<Data> {
  return { custom: { status, message, headers }, data };
}

/** A spec in which every default of its family is filled in. */
// biome-ignore lint/suspicious/noExplicitAny: a list of endpoints forgets their types; each one was checked where it was declared.
export type AnySpec = EndpointSpec<any, any, any, any, any, any> & { internalError: ErrorCode };

export type Endpoint = Hono<PipelineEnv> & { id: string; spec: AnySpec };
