// The settings of the service, validated once per isolate.
import * as z from "zod";
import { type NetworkConfig, PLATFORM_DETAILS, PLATFORMS, type Platform } from "../shared/platforms.ts";
import type { TokenKeys } from "../shared/token-encryption.ts";
import type { WorkKind } from "../shared/work-kinds.ts";
import { setZoneRules, ZONE_RULES_FORM } from "../shared/zone-rules.ts";
import type { MetricsDataset } from "./metrics.ts";

const Text = z.string().min(1);
const OptionalText = Text.optional();
const Url = z.url();
const OptionalUrl = Url.optional();
const Count = z.coerce.number().int().positive();
const EncryptionKey = z.string().regex(/^[A-Za-z0-9+/]{43}=$/, "must be 32 bytes in base64");

const Vars = z
  .object({
    ENVIRONMENT: z.enum(["production", "preview", "local"]),
    DATABASE_URL: Text,
    /** The SQL-over-HTTP endpoint when the database is not hosted by Neon. */
    DATABASE_FETCH_URL: OptionalUrl,
    UPSTASH_REDIS_REST_URL: Url,
    UPSTASH_REDIS_REST_TOKEN: Text,
    S3_ENDPOINT: Url,
    S3_REGION: z.string().default("auto"),
    S3_ACCESS_KEY_ID: Text,
    S3_SECRET_ACCESS_KEY: Text,
    S3_UPLOADS_BUCKET: z.string().default("uploads"),
    S3_FILES_BUCKET: z.string().default("files"),
    /** Public base URL of the files bucket. */
    CDN_URL: Url,
    /** 32 bytes in base64: encrypts the tokens of connected accounts at rest. */
    TOKEN_KEY: EncryptionKey,
    /** The key before a rotation: decrypts tokens until `npm run admin -- keys rotate-token-key` has replaced them. */
    TOKEN_KEY_PREVIOUS: EncryptionKey.optional(),
    /** Comma-separated `host:port` list of private hosts that callers' URLs may name. */
    ALLOWED_PRIVATE_HOSTS: z.string().default(""),
    /** The hosted publisher's base URL, and the secret that both sides sign with. */
    HOSTED_FLEET_URL: OptionalUrl,
    HOSTED_FLEET_SECRET: OptionalText,
    /** The secret before a rotation: still accepted on callbacks, never used to sign. */
    HOSTED_FLEET_SECRET_PREVIOUS: OptionalText,
    /** The public base URL of this Worker, for links in responses and callbacks. Only the local stack can do without. */
    PUBLIC_URL: OptionalUrl,
    /** Uploads per day that YouTube allows this service's project, over all its customers. */
    YOUTUBE_UPLOADS_PER_DAY: Count.default(100),
    /** Base URL of an OpenAI-compatible API, including `/v1`; takes precedence over a Workers AI binding. */
    MODEL_URL: OptionalUrl,
    MODEL_API_KEY: OptionalText,
    /** A model of that API, or of Workers AI. */
    MODEL_NAME: OptionalText,
    /** Timeout of one request to the language model. */
    MODEL_TIMEOUT_MS: Count.default(60_000),
    /** Base URL of an OpenAI-compatible API with /audio/transcriptions; takes precedence over a Workers AI binding. */
    SPEECH_URL: OptionalUrl,
    SPEECH_API_KEY: OptionalText,
    /** A model of that API, or of Workers AI. */
    SPEECH_MODEL: OptionalText,
    /** Timeout of transcribing five minutes of audio. */
    SPEECH_TIMEOUT_MS: Count.default(120_000),
    /** Projects that an account owner may have transcribed per hour. */
    CAPTIONS_PER_HOUR: Count.default(20),
    /** Base URL of an OpenAI-compatible API with /embeddings; takes precedence over a Workers AI binding. */
    EMBEDDINGS_URL: OptionalUrl,
    EMBEDDINGS_API_KEY: OptionalText,
    /** A model with vectors of 384 dimensions; posts and queries must be embedded by the same model. */
    EMBEDDINGS_MODEL: OptionalText,
    /** The largest cosine distance at which a post matches a query; depends on the model. */
    EMBEDDINGS_CUTOFF: z.coerce.number().positive().max(2).default(0.45),
    /** Rules of time zones that the runtime does not know yet; see lib/shared/zone-rules.ts. */
    ZONE_RULES: z.string().regex(ZONE_RULES_FORM, "must be like Europe/Berlin 2027-01-01T00:00:00Z +01:00").optional(),
    /** Base URL of the web editor; by default `/editor` of PUBLIC_URL. */
    EDITOR_URL: OptionalUrl,
    /** Signs the cookies of people who are signed in to the dashboard: at least 32 characters. */
    SESSION_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
    /** An API of the form of https://resend.com/docs/api-reference/emails/send-email, read 2026-11-24. */
    MAIL_API_URL: Url.default("https://api.resend.com"),
    MAIL_API_KEY: OptionalText,
    /** The sender, as `Name <address>`. */
    MAIL_FROM: OptionalText,
  })
  .refine((vars) => vars.MODEL_URL === undefined || vars.MODEL_NAME !== undefined, {
    path: ["MODEL_NAME"],
    message: "must name a model of MODEL_URL",
  })
  .refine((vars) => vars.ENVIRONMENT === "local" || vars.PUBLIC_URL !== undefined, {
    path: ["PUBLIC_URL"],
    message: "must be set, because no link depends on the Host header",
  })
  .refine((vars) => vars.ENVIRONMENT !== "production" || vars.ALLOWED_PRIVATE_HOSTS === "", {
    path: ["ALLOWED_PRIVATE_HOSTS"],
    message: "must be empty in production",
  });

/** Every setting that does not belong to one network. */
export const SETTING_NAMES: readonly string[] = Object.keys(Vars.shape);

/** Names of settings of a network, after `<NETWORK>_`. */
export const NETWORK_SETTINGS = [
  ...["API_URL", "CLIENT_ID", "CLIENT_SECRET", "API_VERSION"],
  ...["CONSENT_URL", "CONFIG_ID", "SCOPES", "ATTEMPTS_PER_MINUTE"],
] as const;

/** The app for LinkedIn's pages, if it is not the one for members. */
export const LINKEDIN_PAGES_SETTINGS = [
  ...["LINKEDIN_PAGES_CLIENT_ID", "LINKEDIN_PAGES_CLIENT_SECRET", "LINKEDIN_PAGES_SCOPES"],
] as const;

export interface Env extends z.infer<typeof Vars> {
  networks: Record<Platform, NetworkConfig>;
  /** The publisher of hosted accounts; null when none is configured. */
  hostedPublisher: NetworkConfig | null;
  allowedHosts: readonly string[];
  tokenKeys: TokenKeys;
  deliveryQueues: Record<WorkKind, Queue<DeliveriesMessage>>;
  refreshesQueue: Queue<RefreshesMessage>;
  webhooksQueue: Queue<WebhooksMessage>;
  sandboxQueue: Queue<SandboxMessage>;
  /** The Analytics Engine dataset, if bound. */
  metricsDataset: MetricsDataset | null;
  /** The Workers AI binding, if any. */
  ai: AiBinding | null;
  /** The rendering Worker, if bound. */
  renderingWorker: Pick<Fetcher, "fetch"> | null;
  /** The media Worker, if bound. */
  mediaWorker: Pick<Fetcher, "fetch"> | null;
  /** The Worker of the pages for people, if bound. */
  workspaceWorker: Pick<Fetcher, "fetch"> | null;
  /** The simulator of the networks, if bound: what test mode publishes to. */
  simulatorWorker: Pick<Fetcher, "fetch"> | null;
}

/** The part of the Workers AI binding that the service uses. */
export interface AiBinding {
  run(model: string, input: object, options: { signal: AbortSignal }): Promise<unknown>;
}

/** A message of a queue of deliveries: ids of deliveries that may be due. The database decides. */
export interface DeliveriesMessage {
  deliveryIds: string[];
  /** Messages sent before there were kinds have none. */
  kind?: WorkKind;
}

/** A message of the refreshes queue: ids of refreshes that may be due. */
export interface RefreshesMessage {
  refreshIds: string[];
}

/** A message of the webhooks queue: webhooks that may have deliveries due, or scopes with such webhooks. */
export type WebhooksMessage = { webhookIds: string[] } | { scopeIds: string[] };

/** A message of the queue of posts: a test scope in which something may be due. */
export interface SandboxMessage {
  sandboxId: string;
}

/** Any message that a queue has, for the dead letters. */
export type QueueMessage = DeliveriesMessage | RefreshesMessage | WebhooksMessage | SandboxMessage;

const envCache = new WeakMap<object, Env>();

/** `npm start` listens here: the only stack that may have no PUBLIC_URL. */
const LOCAL_URL = "http://127.0.0.1:8787";

/** The base URL of links in responses, which never comes from the Host header. */
export function getPublicUrl({ PUBLIC_URL }: Pick<Env, "PUBLIC_URL">): string {
  return PUBLIC_URL ?? LOCAL_URL;
}

/**
 * Scheme and host of this service as its pages and its clients know them. The local stack is open under localhost too, since
 * browsers give no passkeys to an IP address.
 */
export function getOrigin({ ENVIRONMENT, PUBLIC_URL }: Pick<Env, "ENVIRONMENT" | "PUBLIC_URL">, url: string): string {
  return new URL(ENVIRONMENT === "local" ? url : (PUBLIC_URL ?? url)).origin;
}

/** Throws an Error that names each missing or malformed variable, never its value. */
export function readEnv(raw: Record<string, unknown>): Env {
  const known = envCache.get(raw);
  if (known) return known;
  const vars = Vars.safeParse(raw);
  if (!vars.success) {
    const problems = vars.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`The service is not configured: ${problems.join("; ")}`);
  }
  if (vars.data.ZONE_RULES) setZoneRules(vars.data.ZONE_RULES);
  const env: Env = {
    ...vars.data,
    networks: readNetworks(raw),
    hostedPublisher: readHostedPublisher(vars.data),
    allowedHosts: vars.data.ALLOWED_PRIVATE_HOSTS.split(",").filter(Boolean),
    tokenKeys: { current: vars.data.TOKEN_KEY, previous: vars.data.TOKEN_KEY_PREVIOUS },
    deliveryQueues: readDeliveryQueues(raw),
    refreshesQueue: raw.REFRESHES as Queue<RefreshesMessage>,
    webhooksQueue: raw.WEBHOOKS as Queue<WebhooksMessage>,
    sandboxQueue: raw.DELIVERIES as Queue<SandboxMessage>,
    metricsDataset: (raw.METRICS as MetricsDataset | undefined) ?? null,
    ai: (raw.AI as AiBinding | undefined) ?? null,
    renderingWorker: (raw.DRAW as Fetcher | undefined) ?? null,
    mediaWorker: (raw.MEDIA as Fetcher | undefined) ?? null,
    workspaceWorker: (raw.WORKSPACE as Fetcher | undefined) ?? null,
    simulatorWorker: (raw.SIMULATOR as Fetcher | undefined) ?? null,
  };
  envCache.set(raw, env);
  return env;
}

/** A Worker without a binding for a kind of work sends it to the queue of posts: each message names its kind. */
function readDeliveryQueues(raw: Record<string, unknown>): Env["deliveryQueues"] {
  const open = (name: string) => (raw[name] ?? raw.DELIVERIES) as Queue<DeliveriesMessage>;
  return { posts: open("DELIVERIES"), uploads: open("UPLOADS"), confirmations: open("CONFIRMATIONS") };
}

function readHostedPublisher({
  HOSTED_FLEET_URL: url,
  HOSTED_FLEET_SECRET: secret,
}: z.infer<typeof Vars>): NetworkConfig | null {
  return url && secret ? { baseUrl: url.replace(/\/+$/, ""), clientId: "", clientSecret: secret } : null;
}

function readNetworks(raw: Record<string, unknown>): Record<Platform, NetworkConfig> {
  const text = (name: string) => (typeof raw[name] === "string" ? raw[name] : "");
  const entries = PLATFORMS.map((platform) => {
    const prefix = platform.toUpperCase();
    return [
      platform,
      {
        // `<PLATFORM>_API_URL` overrides the documented host.
        baseUrl: text(`${prefix}_API_URL`) || PLATFORM_DETAILS[platform].apiUrl,
        ...readApp(text, prefix),
        ...(text(`${prefix}_API_VERSION`) ? { apiVersion: text(`${prefix}_API_VERSION`) } : {}),
        ...(text(`${prefix}_CONSENT_URL`) ? { consentUrl: text(`${prefix}_CONSENT_URL`) } : {}),
        ...(text(`${prefix}_CONFIG_ID`) ? { configId: text(`${prefix}_CONFIG_ID`) } : {}),
        ...(text(`${prefix}_PAGES_CLIENT_ID`) ? { pages: readApp(text, `${prefix}_PAGES`) } : {}),
        attemptsPerMinute: Number(text(`${prefix}_ATTEMPTS_PER_MINUTE`)) || undefined,
      },
    ] as const;
  });
  return Object.fromEntries(entries) as Record<Platform, NetworkConfig>;
}

/** `<PREFIX>_SCOPES` is for apps that a network has approved for less, or for more, than the driver asks for. */
function readApp(
  text: (name: string) => string,
  prefix: string,
): Pick<NetworkConfig, "clientId" | "clientSecret" | "scopes"> {
  const scopes = text(`${prefix}_SCOPES`);
  return {
    clientId: text(`${prefix}_CLIENT_ID`),
    clientSecret: text(`${prefix}_CLIENT_SECRET`),
    ...(scopes ? { scopes: scopes.split(/[\s,]+/) } : {}),
  };
}
