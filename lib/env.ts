// The settings of the service, checked once per isolate at the door.
import * as z from "zod";
import { type NetworkConfig, PLATFORMS, type Platform } from "./platforms/platform.ts";

const Vars = z
  .object({
    ENVIRONMENT: z.enum(["production", "preview", "local"]),
    DATABASE_URL: z.string().min(1),
    /** Where SQL over HTTP is spoken when the host is not Neon's own. */
    DATABASE_FETCH_URL: z.url().optional(),
    UPSTASH_REDIS_REST_URL: z.url(),
    UPSTASH_REDIS_REST_TOKEN: z.string().min(1),
    S3_ENDPOINT: z.url(),
    S3_REGION: z.string().default("auto"),
    S3_ACCESS_KEY_ID: z.string().min(1),
    S3_SECRET_ACCESS_KEY: z.string().min(1),
    S3_UPLOADS_BUCKET: z.string().default("uploads"),
    S3_FILES_BUCKET: z.string().default("files"),
    /** Public base URL of the files bucket. */
    CDN_URL: z.url(),
    /** 32 bytes, base64: seals the networks' tokens at rest. */
    TOKEN_KEY: z.string().regex(/^[A-Za-z0-9+/]{43}=$/, "must be 32 bytes in base64"),
    /** `host:port` list that the URL guard lets through although it is private. */
    ALLOWED_PRIVATE_HOSTS: z.string().default(""),
    /** Who publishes to hosted accounts, and the secret that both sides sign with. */
    HOSTED_FLEET_URL: z.url().optional(),
    HOSTED_FLEET_SECRET: z.string().min(1).optional(),
    /** Where this Worker is reached from outside; the fleet is asked to call back there. */
    PUBLIC_URL: z.url().optional(),
    /** Base URL of an OpenAI-compatible API, `/v1` included; it goes before a Workers AI binding. */
    MODEL_URL: z.url().optional(),
    MODEL_API_KEY: z.string().min(1).optional(),
    /** A model of that API, or of Workers AI. */
    MODEL_NAME: z.string().min(1).optional(),
    /** How long one answer of the language model may take. */
    MODEL_TIMEOUT_MS: z.coerce.number().int().positive().default(60_000),
    /** Base URL of an OpenAI-compatible API with /audio/transcriptions; it goes before a Workers AI binding. */
    SPEECH_URL: z.url().optional(),
    SPEECH_API_KEY: z.string().min(1).optional(),
    /** A model of that API, or of Workers AI. */
    SPEECH_MODEL: z.string().min(1).optional(),
    /** How long the recogniser may take for five minutes of sound. */
    SPEECH_TIMEOUT_MS: z.coerce.number().int().positive().default(120_000),
    /** How many times an hour an account owner may have a cut transcribed. */
    CAPTIONS_PER_HOUR: z.coerce.number().int().positive().default(20),
    /** Base URL of an OpenAI-compatible API with /embeddings; it goes before a Workers AI binding. */
    EMBEDDINGS_URL: z.url().optional(),
    EMBEDDINGS_API_KEY: z.string().min(1).optional(),
    /** A model that gives vectors of 384 numbers; posts and queries must be embedded by the same one. */
    EMBEDDINGS_MODEL: z.string().min(1).optional(),
    /** The largest cosine distance at which a post still matches a query; it depends on the model. */
    EMBEDDINGS_CUTOFF: z.coerce.number().positive().max(2).default(0.45),
    /** Base URL of the web editor; absent, it is taken to stand beside the API. */
    EDITOR_URL: z.url().optional(),
  })
  .refine((vars) => vars.MODEL_URL === undefined || vars.MODEL_NAME !== undefined, {
    path: ["MODEL_NAME"],
    message: "must name a model of MODEL_URL",
  })
  .refine((vars) => vars.ENVIRONMENT !== "production" || vars.ALLOWED_PRIVATE_HOSTS === "", {
    path: ["ALLOWED_PRIVATE_HOSTS"],
    message: "must be empty in production",
  });

/** Documented API hosts; `<PLATFORM>_API_URL` overrides one. */
const API_HOSTS: Record<Platform, string> = {
  tiktok: "https://open.tiktokapis.com",
  instagram: "https://graph.instagram.com",
  youtube: "https://www.googleapis.com",
  twitter: "https://api.x.com",
  pinterest: "https://api.pinterest.com",
  threads: "https://graph.threads.net",
  linkedin: "https://api.linkedin.com",
  facebook: "https://graph.facebook.com",
  bluesky: "https://bsky.social",
};

export interface Env extends z.infer<typeof Vars> {
  networks: Record<Platform, NetworkConfig>;
  /** The operator's fleet of hosted accounts; null where there is none. */
  fleet: NetworkConfig | null;
  allowedHosts: readonly string[];
  deliveries: Queue<DeliveryNudge>;
  refreshes: Queue<RefreshNudge>;
  /** Workers AI, where it is bound. */
  ai: AiBinding | null;
  /** The drawing Worker, where it is bound. */
  draw: Pick<Fetcher, "fetch"> | null;
  /** The media Worker, where it is bound. */
  media: Pick<Fetcher, "fetch"> | null;
}

/** What is used of the Workers AI binding. */
export interface AiBinding {
  run(model: string, input: object, options: { signal: AbortSignal }): Promise<unknown>;
}

/** A message of the deliveries queue: ids that may have something to do. It carries no truth. */
export interface DeliveryNudge {
  deliveryIds: string[];
}

/** A message of the refreshes queue, likewise. */
export interface RefreshNudge {
  refreshIds: string[];
}

const parsed = new WeakMap<object, Env>();

/** Throws an error that names each missing or malformed variable, never its value. */
export function readEnv(raw: Record<string, unknown>): Env {
  const known = parsed.get(raw);
  if (known) return known;
  const vars = Vars.safeParse(raw);
  if (!vars.success) {
    const faults = vars.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`The service is not configured: ${faults.join("; ")}`);
  }
  const env: Env = {
    ...vars.data,
    networks: networksFrom(raw),
    fleet: fleetFrom(vars.data),
    allowedHosts: vars.data.ALLOWED_PRIVATE_HOSTS.split(",").filter(Boolean),
    deliveries: raw.DELIVERIES as Queue<DeliveryNudge>,
    refreshes: raw.REFRESHES as Queue<RefreshNudge>,
    ai: (raw.AI as AiBinding | undefined) ?? null,
    draw: (raw.DRAW as Fetcher | undefined) ?? null,
    media: (raw.MEDIA as Fetcher | undefined) ?? null,
  };
  parsed.set(raw, env);
  return env;
}

function fleetFrom({ HOSTED_FLEET_URL: url, HOSTED_FLEET_SECRET: secret }: z.infer<typeof Vars>): NetworkConfig | null {
  return url && secret ? { baseUrl: url.replace(/\/+$/, ""), clientId: "", clientSecret: secret } : null;
}

function networksFrom(raw: Record<string, unknown>): Record<Platform, NetworkConfig> {
  const text = (name: string) => (typeof raw[name] === "string" ? raw[name] : "");
  const entries = PLATFORMS.map((platform) => {
    const prefix = platform.toUpperCase();
    return [
      platform,
      {
        baseUrl: text(`${prefix}_API_URL`) || API_HOSTS[platform],
        clientId: text(`${prefix}_CLIENT_ID`),
        clientSecret: text(`${prefix}_CLIENT_SECRET`),
      },
    ] as const;
  });
  return Object.fromEntries(entries) as Record<Platform, NetworkConfig>;
}
