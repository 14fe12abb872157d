// One endpoint: a declaration turned into a complete Hono app. This file alone knows the order of the pipeline.
import { type Context, Hono } from "hono";
import type * as z from "zod";
import { admit, readToken, recall, requirePlan } from "./auth.ts";
import { type Call, openWorld, type World } from "./call.ts";
import { databaseIsAway } from "./db.ts";
import { describeError } from "./describe-error.ts";
import { type Answer, failed, requestIdFrom, type SuccessStatus, success, toResponse } from "./envelope.ts";
import { type Code, type FailureStatus, type Refusal, refusalOf, refuse, unavailable } from "./errors.ts";
import { abandon, claim, type Mine, renewing } from "./idempotency.ts";
import { idsFrom } from "./ids.ts";
import { readInput } from "./input.ts";
import type { BadQuery } from "./invalid.ts";
import { type Charged, type Costs, charge, type PolicyName, policyHeaders, uncharged } from "./limits.ts";
import { type RoutePattern, routeOf } from "./paths.ts";
import type { Credential } from "./queries/keys.ts";
import { insist, opened, type Settled, settle } from "./settle.ts";

type Params<P> = { [name in keyof P]: string };

export interface Spec<P, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType, L> {
  route: RoutePattern;
  summary: string;
  description?: string;
  /** Path parameter -> the noun it names: `{ postId: "post" }` gives missing_post_id and a 404 when it is no UUID. */
  params?: P & Record<string, string>;
  /** Those of the parameters that are no UUIDs; what they may be is for the operation to say. */
  opaque?: readonly (keyof P & string)[];
  /** What a malformed id answers: as if no record had it, unless told. */
  malformedId?: "not_found" | "invalid_path" | "project_not_found" | "transcript_not_found";
  query?: Q;
  body?: B;
  reply: R;
  status?: SuccessStatus;
  /** The `message` of a success. */
  message: string;
  /** What a success may answer instead. */
  also?: { status: SuccessStatus; message: string };
  refuses?: readonly Code[];
  /** Those of them that are refused with another status than the catalogue's. */
  statuses?: Partial<Record<Code, FailureStatus>>;
  /** The 500 of this operation. */
  failure: Code;
  /** POST and PATCH honour an Idempotency-Key unless told otherwise; `required` refuses a request without one. */
  idempotent?: "required";
  /** How long an idempotent execution may take before a repeat takes it over; a minute unless told. */
  longestSeconds?: number;
  /** Holds its key by renewing that time while it runs: it may take long, and one that died is soon over. */
  renewsClaim?: boolean;
  limits?: readonly PolicyName[];
  /** Its own domain counts its ceiling, and tells it in the headers of its answers. */
  tellsCeiling?: boolean;
  /** How much of its limits a request takes, where that is not 1. */
  costs?(input: Input<P, Q, B>): Costs;
  /** 403 in families that list no 402. */
  absentPlan?: 402 | 403;
  /** How schema failures of the body are told. */
  faults?: "issues" | "fields";
  /** The refusal of a bad query, one with a status of its own, or one per parameter. */
  badQuery?: BadQuery;
  /** The refusal of a body in which nothing but this top-level field is wrong. */
  badBody?: Record<string, Code>;
  /** Reads that may run beside the key check; a write or a limited read gets them as the second argument of `handle`. */
  load?(call: Call & Input<P, Q, B>): Promise<L>;
  handle(call: Call & Input<P, Q, B>, loaded: L): Promise<Handled<R>>;
}

interface Input<P, Q extends z.ZodType, B extends z.ZodType> {
  params: Params<P>;
  query: z.output<Q>;
  body: z.output<B>;
}

type Handled<R extends z.ZodType> = z.input<R> | Told<z.input<R>>;

/** An answer that differs from the declared status or message. */
export interface Told<Data> {
  told: { status: SuccessStatus; message: string; headers?: Record<string, string> };
  data: Data;
}

export function tell<Data>(status: SuccessStatus, message: string, data: Data, headers = {}): Told<Data> {
  return { told: { status, message, headers }, data };
}

// biome-ignore lint/suspicious/noExplicitAny: a list of endpoints forgets their types; each one was checked where it was declared.
export type AnySpec = Spec<any, any, any, any, any>;
export type Endpoint = Hono & { id: string; spec: AnySpec };

export function endpoint<
  P extends Record<string, string>,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  L,
>(id: string, spec: Spec<P, Q, B, R, L>): Endpoint {
  const app = new Hono();
  const { method, paths } = routeOf(spec.route);
  app.on(method, paths, (c) => run(id, spec as AnySpec, c));
  return Object.assign(app, { id, spec: spec as AnySpec });
}

/** What a request has come to by the time it is answered, however that ends. */
interface Seen {
  /** What the log names the caller by; "-" until a key is known. */
  key: string;
  /** What every answer carries. */
  headers: Record<string, string>;
}

function run(id: string, spec: AnySpec, c: Context): Promise<Response> {
  return answering(id, spec.failure, c, (world, seen) => pipeline(id, spec, c, world, seen));
}

/** Opens the world for one request and answers it whatever is thrown; `failure` is the code of an error nobody foresaw. */
export async function answering(
  id: string,
  failure: Code,
  c: Context,
  work: (world: World, seen: Seen) => Promise<Answer>,
): Promise<Response> {
  const startedAt = Date.now();
  const requestId = requestIdFrom(c.req.header("x-request-id"));
  const seen: Seen = { key: "-", headers: {} };
  let world: World;
  try {
    world = openWorld(c.env, requestId, (work) => c.executionCtx.waitUntil(work));
  } catch (error) {
    // Names the variables that are missing, never a value.
    return toResponse(failed(refuse("internal_error", String((error as Error).message))), requestId);
  }
  let answer: Answer;
  try {
    answer = await work(world, seen);
  } catch (error) {
    answer = failed(asRefusal(error, failure, world));
  }
  world.log({ level: "info", endpoint: id, key: seen.key, status: answer.status, ms: Date.now() - startedAt });
  return toResponse({ ...answer, headers: { ...seen.headers, ...answer.headers } }, requestId);
}

/** Any error as a refusal: ours as it is, an absent database as 503, the rest as the operation's 500 with a fixed sentence. */
function asRefusal(error: unknown, failure: Code, world: World): Refusal {
  const known = refusalOf(error) ?? (databaseIsAway(error) ? unavailable("database", error) : null);
  if (!known || known.status >= 500) world.log({ level: "error", error: describeError(error) });
  return (
    known ?? refuse(failure, `Something went wrong on our side. Quote the request id ${world.requestId} to support.`)
  );
}

/*
 * The order in which refusals win: token, plan, path, key header, JSON, schema, claim, limits, handle.
 * The order in which work runs differs: what only reads, or can be undone, runs beside the check of the key.
 */
async function pipeline(id: string, spec: AnySpec, c: Context, world: World, seen: Seen): Promise<Answer> {
  const now = world.clock();
  if (spec.limits) seen.headers = policyHeaders(spec.limits);
  const token = readToken(c.req.header("authorization"));
  seen.key = token.publicId;
  const known = recall(token);
  const verdict = settle(standing(world, token, now, spec));
  const credential = known ?? opened(await verdict);
  const input = await settle(readInput(id, spec, c.req));
  if (!input.ok) {
    opened(await verdict);
    // Without Redis it is told what is wrong all the same.
    if (spec.limits)
      seen.headers = await uncharged(world.redis, spec.limits, credential.scope.id, now).catch(() => seen.headers);
    throw input.error;
  }
  const writes = spec.route.startsWith("GET ") === false;
  const { idempotencyKey, print, ...checked } = input.value;
  const seed = crypto.randomUUID();
  const { origin } = new URL(c.req.url);
  const base = { ...world, origin, key: keyOf(credential), now, ids: idsFrom(seed, now), ...checked };

  const leaseMs = (spec.longestSeconds ?? 60) * 1000;
  const claiming = settle(
    idempotencyKey
      ? claim(world.redis, credential.id, idempotencyKey, print, seed, now, leaseMs)
      : Promise.resolve(null),
  );
  const charging = settle(
    spec.limits
      ? charge(world.redis, spec.limits, credential.scope.id, now, spec.costs?.(base) ?? {})
      : Promise.resolve(null),
  );
  if (spec.limits) world.after(spared(verdict, charging));
  const waits = writes || spec.limits !== undefined;
  const early = settle<unknown>(waits ? (spec.load?.(base) ?? Promise.resolve()) : spec.handle(base, undefined));
  // Nothing that was begun without a claim has to be undone, so a caller who is turned away need not wait for it.
  if (!idempotencyKey) opened(await verdict);
  const [verdictNow, claimed, charged, loaded] = await Promise.all([verdict, claiming, charging, early]);
  if (idempotencyKey && !claimed.ok && refusalOf(claimed.error)?.code === "provider_unavailable") {
    world.after(insist(() => abandon(world.redis, credential.id, idempotencyKey, seed)));
  }
  if (charged.ok && charged.value && verdictNow.ok) seen.headers = charged.value.headers;

  const mine = claimed.ok && claimed.value?.state === "mine" ? claimed.value : null;
  try {
    opened(verdictNow);
    const slot = opened(claimed);
    if (slot?.state === "replay") return replayed(slot.answer);
    const { refusal } = opened(charged) ?? {};
    if (refusal) throw refusal;
    const ready = opened(loaded);
    const call = mine ? { ...base, ids: idsFrom(mine.seed, mine.startedAt) } : base;
    const work = () => spec.handle(call, ready);
    const held = mine && spec.renewsClaim ? () => renewing(mine, leaseMs, world, work) : work;
    const handled = waits ? await held() : ready;
    const answer = render(spec, handled);
    if (mine) await keep(world, mine, answer);
    return answer;
  } catch (error) {
    if (mine) await letGo(world, mine, error);
    throw error;
  }
}

/** A caller who is turned away at the door takes nothing of what all callers share. */
async function spared(
  verdict: Promise<Settled<Credential>>,
  charging: Promise<Settled<Charged | null>>,
): Promise<void> {
  const [admitted, charged] = await Promise.all([verdict, charging]);
  if (!admitted.ok && charged.ok) await charged.value?.giveBack();
}

async function standing(
  world: World,
  token: ReturnType<typeof readToken>,
  now: Date,
  spec: AnySpec,
): Promise<Credential> {
  const { credential, standing } = await admit(world.db, token, now);
  requirePlan(standing, now, spec.absentPlan ?? 402);
  return credential;
}

function keyOf({ id, publicId, scope }: Credential): Call["key"] {
  return { id, publicId, scope };
}

function render(spec: AnySpec, handled: unknown): Answer {
  const told = typeof handled === "object" && handled !== null && "told" in handled ? (handled as Told<unknown>) : null;
  const status = told?.told.status ?? spec.status ?? 200;
  const answer = success(status, told?.told.message ?? spec.message, spec.reply.parse(told ? told.data : handled));
  return { ...answer, headers: { ...answer.headers, ...told?.told.headers } };
}

function replayed(stored: { status: number; body: string }): Answer {
  return { ...stored, headers: { "Idempotent-Replayed": "true" } };
}

/** The work is done whether or not the store answers: a repeat then draws the same ids and finds what was made. */
async function keep(world: World, mine: Mine, answer: Answer): Promise<void> {
  await sayOf(world, () => mine.store(answer));
}

async function letGo(world: World, mine: Mine, error: unknown): Promise<void> {
  const refusal = refusalOf(error);
  const mode = refusal && refusal.status < 500 ? "free" : "retriable";
  await sayOf(world, () => mine.release(mode));
}

/** A key that stays held answers 409 until its lease ends, so what cannot be said of it at once is said after the answer. */
async function sayOf(world: World, work: () => Promise<void>): Promise<void> {
  const said = await settle(work());
  if (said.ok) return;
  world.log({ level: "error", error: describeError(said.error) });
  world.after(insist(work));
}
