// The outside world on one machine: database, Redis, bucket, networks and their levers, with its state kept in a folder.
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { migrate } from "../../drizzle/migrate.ts";
import { PLATFORMS } from "../../lib/platforms/platform.ts";
import { startBucket } from "./bucket.ts";
import { createCalls } from "./calls.ts";
import { startDatabase } from "./database.ts";
import { CUTOFF, startEmbeddings } from "./embeddings.ts";
import { startModel } from "./model.ts";
import { startNetworks } from "./networks/server.ts";
import { startRedis } from "./redis.ts";
import { type Seed, seed } from "./seed.ts";
import { startSpeech } from "./speech.ts";

export type World = Awaited<ReturnType<typeof startWorld>>;

interface Options {
  /** Where the state lives, such as `.local`. */
  folder: string;
  /** Empties the state first. */
  fresh: boolean;
  say: (line: string) => void;
}

/** What must stay the same from start to start, since stored rows and URLs speak of it. */
interface Kept {
  ports: Record<"database" | "redis" | "bucket" | "networks", number>;
  redisToken: string;
  tokenKey: string;
  fleetSecret: string;
  s3: { accessKeyId: string; secretAccessKey: string };
  seed: Seed | null;
}

export async function startWorld({ folder, fresh, say }: Options) {
  if (fresh) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const keptPath = join(folder, "world.json");
  const kept = await readKept(keptPath);
  const calls = createCalls();
  // Real servers instead of the embedded ones, when the environment names them.
  const { LOCAL_POSTGRES_URL: databaseUrl, LOCAL_REDIS_URL: redisUrl } = process.env;

  const modelKey = randomBytes(24).toString("base64url");

  say("database, redis, bucket, networks, models");
  const [database, redis, bucket, networks, model, embeddings, speech] = await Promise.all([
    startDatabase({ dataDir: join(folder, "database"), databaseUrl, port: await free(kept.ports.database), calls }),
    startRedis({
      redisUrl,
      file: join(folder, "redis.json"),
      port: await free(kept.ports.redis),
      token: kept.redisToken,
      calls,
    }),
    startBucket({ persistTo: join(folder, "bucket"), port: await free(kept.ports.bucket), calls, ...kept.s3 }),
    startNetworks({
      port: await free(kept.ports.networks),
      accounts: kept.seed?.networkAccounts ?? [],
      fleetSecret: kept.fleetSecret,
    }),
    startModel({ port: 0, calls, key: modelKey }),
    startEmbeddings({ port: 0, calls, key: modelKey }),
    startSpeech({ port: 0, calls, key: modelKey }),
  ]);
  kept.ports = {
    database: portOf(database.fetchUrl),
    redis: portOf(redis.url),
    bucket: portOf(bucket.endpoint),
    networks: portOf(networks.url),
  };
  const address = { DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl };

  say("schema");
  await migrate(address);
  if (!kept.seed) {
    say("seed");
    kept.seed = await seed(address, kept.tokenKey, new Date());
    networks.register(...kept.seed.networkAccounts);
  }
  await writeFile(keptPath, JSON.stringify(kept, null, 2), { mode: 0o600 });

  /** The settings that make a Worker live in this world. */
  const vars: Record<string, string> = {
    ENVIRONMENT: "local",
    ...address,
    UPSTASH_REDIS_REST_URL: redis.url,
    UPSTASH_REDIS_REST_TOKEN: redis.token,
    S3_ENDPOINT: bucket.endpoint,
    S3_ACCESS_KEY_ID: bucket.accessKeyId,
    S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
    CDN_URL: bucket.publicUrl("files"),
    TOKEN_KEY: kept.tokenKey,
    MODEL_URL: `${model.url}/v1`,
    MODEL_API_KEY: modelKey,
    MODEL_NAME: "local",
    SPEECH_URL: speech.url,
    SPEECH_API_KEY: modelKey,
    EMBEDDINGS_URL: `${embeddings.url}/v1`,
    EMBEDDINGS_API_KEY: modelKey,
    EMBEDDINGS_MODEL: "local",
    EMBEDDINGS_CUTOFF: String(CUTOFF),
    HOSTED_FLEET_URL: `${networks.url}/hosted`,
    HOSTED_FLEET_SECRET: kept.fleetSecret,
    ALLOWED_PRIVATE_HOSTS: [new URL(bucket.endpoint).host, new URL(networks.url).host].join(","),
    ...Object.fromEntries(
      PLATFORMS.flatMap((platform) => {
        const prefix = platform.toUpperCase();
        return [
          [`${prefix}_API_URL`, `${networks.url}/${platform}`],
          [`${prefix}_CLIENT_ID`, "local-client"],
          [`${prefix}_CLIENT_SECRET`, "local-secret"],
        ];
      }),
    ),
  };

  return {
    calls,
    database,
    bucket,
    networks,
    model,
    speech,
    seed: kept.seed,
    address,
    vars,
    async close() {
      await Promise.all([
        networks.close(),
        redis.close(),
        bucket.close(),
        model.close(),
        embeddings.close(),
        speech.close(),
      ]);
      await database.close();
    },
  };
}

async function readKept(path: string): Promise<Kept> {
  const begun: Kept = {
    ports: { database: 0, redis: 0, bucket: 0, networks: 0 },
    redisToken: randomBytes(24).toString("base64url"),
    tokenKey: randomBytes(32).toString("base64"),
    fleetSecret: randomBytes(32).toString("base64url"),
    s3: { accessKeyId: randomBytes(16).toString("hex"), secretAccessKey: randomBytes(32).toString("hex") },
    seed: null,
  };
  try {
    return { ...begun, ...JSON.parse(await readFile(path, "utf8")) };
  } catch {
    return begun;
  }
}

/** The port when nobody holds it, else 0: any free one. */
async function free(port: number): Promise<number> {
  if (port === 0) return 0;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(0));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(port)));
  });
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** A settings file as wrangler reads it. */
export function dotenv(vars: Record<string, string>): string {
  return `${Object.entries(vars)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join("\n")}\n`;
}
