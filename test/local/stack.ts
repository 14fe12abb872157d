// The local stack: database, Redis, storage, fake networks and models, with its state in a folder.
import { randomBytes } from "node:crypto";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { migrate } from "../../functions/commands/migrate.ts";
import { PLATFORMS, type Platform } from "../../lib/shared/platforms.ts";
import { createCallCounter } from "./call-counter.ts";
import { readable, readStateFile } from "./damaged-state.ts";
import { getDatabaseAddresses, startDatabase } from "./database.ts";
import { EMBEDDING_MODEL, MAX_COSINE_DISTANCE } from "./embedding-model.ts";
import { startEmbeddings } from "./embeddings.ts";
import { findFreePort } from "./free-port.ts";
import { startLanguageModel } from "./language-model.ts";
import { startMail } from "./mail.ts";
import { APP, type FakeApp, PAGES_APP } from "./networks/apps.ts";
import { listOptionalScopes } from "./networks/permissions/table.ts";
import { startNetworks } from "./networks/server.ts";
import { startPages } from "./pages.ts";
import { startReceiver } from "./receiver.ts";
import { startRedis } from "./redis.ts";
import { type Seed, seedDatabase } from "./seed.ts";
import { startSpeechToText } from "./speech-to-text.ts";
import { getBucketAddresses, startStorage } from "./storage.ts";
import { copyTemplate, type TemplateKind } from "./template/database-template.ts";

export type LocalStack = Awaited<ReturnType<typeof startLocalStack>>;

interface Options {
  /** The folder of the state, such as `.local`. */
  folder: string;
  /** Deletes the state first. */
  fresh: boolean;
  log: (line: string) => void;
  /** A migrated database to start from, instead of a template of database-template.ts. */
  template?: Blob;
  /** Called with the settings of the Workers as soon as they are known: before the database and the storage are ready. */
  onSettings?: (vars: Record<string, string>) => Promise<void>;
  /** Template of a new embedded database; `migrated` by default. */
  from?: TemplateKind;
}

/** Values that must survive a restart because stored rows and URLs depend on them. */
interface PersistedState {
  ports: Record<"database" | "redis" | "bucket" | "networks" | "receiver" | "pages", number>;
  redisToken: string;
  tokenKey: string;
  fleetSecret: string;
  sessionSecret: string;
  s3: { accessKeyId: string; secretAccessKey: string };
  seed: Seed | null;
}

export async function startLocalStack({ folder, fresh, log, template, onSettings, from = "migrated" }: Options) {
  if (fresh) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // A folder of an earlier version keeps its mode.
  await chmod(folder, 0o700);
  const statePath = join(folder, "state.json");
  const state = await readPersistedState(statePath);
  const calls = createCallCounter();
  // The environment may name real servers to use instead of the embedded ones.
  const databaseUrl = process.env.LOCAL_POSTGRES_URL || undefined;
  const redisUrl = process.env.LOCAL_REDIS_URL || undefined;
  const dataDir = join(folder, "database");

  const modelKey = randomBytes(24).toString("base64url");

  log("redis, networks, models");
  const [redis, networks, model, embeddings, speechToText, mail, receiver, pages] = await Promise.all([
    startRedis({
      redisUrl,
      file: join(folder, "redis.json"),
      port: await reusePortIfFree(state.ports.redis),
      token: state.redisToken,
      calls,
    }),
    startNetworks({
      port: await reusePortIfFree(state.ports.networks),
      accounts: state.seed?.networkAccounts ?? [],
      hostedSecret: state.fleetSecret,
    }),
    startLanguageModel({ port: 0, calls, key: modelKey }),
    startEmbeddings({ port: 0, calls, key: modelKey }),
    startSpeechToText({ port: 0, calls, key: modelKey }),
    startMail({ port: 0, calls, key: modelKey }),
    startReceiver({ port: await reusePortIfFree(state.ports.receiver), calls }),
    startPages({ port: await reusePortIfFree(state.ports.pages), calls }),
  ]);
  // Their addresses are settings of the Workers, which start meanwhile.
  const databasePort = (await reusePortIfFree(state.ports.database)) || (await findFreePort());
  const bucketPort = (await reusePortIfFree(state.ports.bucket)) || (await findFreePort());
  const addresses = { database: getDatabaseAddresses(databasePort), bucket: getBucketAddresses(bucketPort) };
  const databaseConfig = { DATABASE_URL: addresses.database.url, DATABASE_FETCH_URL: addresses.database.fetchUrl };
  /** The settings of a Worker that uses this stack. */
  const vars: Record<string, string> = {
    ENVIRONMENT: "local",
    ...databaseConfig,
    UPSTASH_REDIS_REST_URL: redis.url,
    UPSTASH_REDIS_REST_TOKEN: redis.token,
    S3_ENDPOINT: addresses.bucket.endpoint,
    S3_ACCESS_KEY_ID: state.s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: state.s3.secretAccessKey,
    CDN_URL: addresses.bucket.publicUrl("files"),
    TOKEN_KEY: state.tokenKey,
    MODEL_URL: `${model.url}/v1`,
    MODEL_API_KEY: modelKey,
    MODEL_NAME: "local",
    SPEECH_URL: speechToText.url,
    SPEECH_API_KEY: modelKey,
    EMBEDDINGS_URL: `${embeddings.url}/v1`,
    EMBEDDINGS_API_KEY: modelKey,
    EMBEDDINGS_MODEL: EMBEDDING_MODEL,
    EMBEDDINGS_CUTOFF: String(MAX_COSINE_DISTANCE),
    SESSION_SECRET: state.sessionSecret,
    MAIL_API_URL: mail.url,
    MAIL_API_KEY: modelKey,
    MAIL_FROM: "Partner API <hello@example.com>",
    HOSTED_FLEET_URL: `${networks.url}/hosted`,
    HOSTED_FLEET_SECRET: state.fleetSecret,
    LINKEDIN_PAGES_CLIENT_ID: PAGES_APP.id,
    LINKEDIN_PAGES_CLIENT_SECRET: PAGES_APP.secret,
    LINKEDIN_PAGES_SCOPES: toOptionalScopes(PAGES_APP, "linkedin", "page"),
    ALLOWED_PRIVATE_HOSTS: [addresses.bucket.endpoint, networks.url, receiver.url, pages.url]
      .map((url) => new URL(url).host)
      .join(","),
    ...Object.fromEntries(
      PLATFORMS.flatMap((platform) => {
        const prefix = platform.toUpperCase();
        return [
          [`${prefix}_API_URL`, `${networks.url}/${platform}`],
          [`${prefix}_CONSENT_URL`, `${networks.url}/${platform}`],
          // At Bluesky no app is registered; the secret would be a key.
          ...(platform === "bluesky"
            ? []
            : [
                [`${prefix}_CLIENT_ID`, APP.id],
                [`${prefix}_CLIENT_SECRET`, APP.secret],
                [`${prefix}_SCOPES`, toOptionalScopes(APP, platform)],
              ]),
        ];
      }),
    ),
  };
  await onSettings?.(vars);

  log("database, storage");
  const startEngine = async () => {
    if (!databaseUrl && !template) await copyTemplate(from, dataDir);
    return startDatabase({ dataDir, databaseUrl, template, port: databasePort, calls });
  };
  const [database, storage] = await Promise.all([
    startEngine(),
    startStorage({ persistTo: join(folder, "bucket"), port: bucketPort, calls, ...state.s3 }),
  ]);
  state.ports = {
    database: databasePort,
    redis: getPort(redis.url),
    bucket: bucketPort,
    networks: getPort(networks.url),
    receiver: receiver.port,
    pages: pages.port,
  };

  log("schema");
  await readable(databaseUrl ?? dataDir, () => migrate(databaseConfig));
  const isNew = state.seed === null;
  if (!state.seed) {
    log("seed");
    state.seed = await seedDatabase(databaseConfig, state.tokenKey, new Date());
    networks.register(...state.seed.networkAccounts);
  }
  await writeFile(statePath, JSON.stringify(state, null, 2), { mode: 0o600 });

  return {
    /** The seed was stored in this start. */
    isNew,
    calls,
    database,
    storage,
    networks,
    model,
    speechToText,
    mail,
    receiver,
    pages,
    seed: state.seed,
    databaseConfig,
    vars,
    async close() {
      await Promise.all([
        networks.close(),
        redis.close(),
        storage.close(),
        model.close(),
        embeddings.close(),
        speechToText.close(),
        mail.close(),
        receiver.close(),
        pages.close(),
      ]);
      await database.close();
    },
  };
}

async function readPersistedState(path: string): Promise<PersistedState> {
  const ports = { database: 0, redis: 0, bucket: 0, networks: 0, receiver: 0, pages: 0 };
  const initial: PersistedState = {
    ports,
    redisToken: randomBytes(24).toString("base64url"),
    tokenKey: randomBytes(32).toString("base64"),
    fleetSecret: randomBytes(32).toString("base64url"),
    sessionSecret: randomBytes(32).toString("base64url"),
    s3: { accessKeyId: randomBytes(16).toString("hex"), secretAccessKey: randomBytes(32).toString("hex") },
    seed: null,
  };
  const stored = await readStateFile<Partial<PersistedState>>(path);
  // The file of an earlier version lacks some of the ports.
  return { ...initial, ...stored, ports: { ...ports, ...stored?.ports } };
}

/** Returns the port if it is free, otherwise 0, which means any free port. */
async function reusePortIfFree(port: number): Promise<number> {
  if (port === 0) return 0;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(0));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(port)));
  });
}

/** A setting with the optional permissions that the app has, so that everything can be tried. */
function toOptionalScopes({ scopes }: FakeApp, platform: Platform, as?: "page"): string {
  const own = scopes?.[platform];
  const optional = listOptionalScopes(platform, as).filter((scope) => own?.includes(scope) ?? true);
  return optional.map((scope) => `+${scope}`).join(" ");
}

function getPort(url: string): number {
  return Number(new URL(url).port);
}

/** Formats a settings file for wrangler. */
export function formatDotenv(vars: Record<string, string>): string {
  return `${Object.entries(vars)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join("\n")}\n`;
}
