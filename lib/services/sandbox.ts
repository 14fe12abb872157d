// The services of a test scope: its clock, and a `fetch` that reaches the simulator of the networks and nobody else. Everything that
// works for the scope gets these, so that no driver, model or mail needs to know of the mode.
import { PLATFORMS, type Platform } from "../shared/platforms.ts";
import type { Sandbox } from "../shared/scope.ts";
import type { Services } from "./context.ts";
import type { Env } from "./env.ts";
import { isGuarded } from "./safe-fetch.ts";

/** Hosts that exist here only; `.internal` is reserved for private use: https://www.icann.org/en/board-activities-and-meetings/materials/approved-resolutions-special-meeting-of-the-icann-board-29-07-2024-en, read 2026-11-29. */
const SIMULATOR = "https://simulator.internal";
const MODELS = "https://models.internal";

const ANY_SECRET = "sandbox";

export function openSandboxServices(
  services: Services,
  sandbox: Sandbox,
  /** That of the scope, which goes on; a runner that advances it has its own. */
  clock = () => new Date(services.clock().getTime() + sandbox.clockOffsetMs),
): Services {
  const enqueue = (_ids: unknown, delaySeconds: number) => services.enqueueSandbox(sandbox.scopeId, delaySeconds);
  return {
    ...services,
    sandbox,
    live: services,
    env: toSandboxEnv(services.env, sandbox),
    clock,
    fetch: createFetch(services, sandbox, clock),
    enqueueDeliveries: enqueue,
    enqueueRefreshes: enqueue,
    enqueueWebhooks: enqueue,
  };
}

/** The simulated networks know one app for each reset of a scope: quotas and breakers count by the app. */
function toSandboxEnv(env: Env, { scopeId, resets }: Sandbox): Env {
  const app = { clientId: `sandbox-${scopeId}-${resets}`, clientSecret: ANY_SECRET };
  const networks = PLATFORMS.map((platform) => {
    const baseUrl = `${SIMULATOR}/${platform}`;
    return [platform, { baseUrl, consentUrl: baseUrl, ...app }] as const;
  });
  return {
    ...env,
    networks: Object.fromEntries(networks) as Env["networks"] & Record<Platform, Env["networks"][Platform]>,
    hostedPublisher: { baseUrl: `${SIMULATOR}/hosted`, ...app },
    ...{ MODEL_URL: MODELS, MODEL_NAME: "canned", MODEL_API_KEY: undefined },
    ...{ SPEECH_URL: MODELS, SPEECH_MODEL: "canned", SPEECH_API_KEY: undefined },
    // The canned vectors mean nothing, so every post is near enough.
    ...{ EMBEDDINGS_URL: MODELS, EMBEDDINGS_MODEL: "canned", EMBEDDINGS_API_KEY: undefined, EMBEDDINGS_CUTOFF: 2 },
    ...{ ai: null, MAIL_API_KEY: undefined, MAIL_FROM: undefined, metricsDataset: null },
  };
}

function createFetch({ env, fetch, budget }: Services, sandbox: Sandbox, clock: () => Date): typeof fetch {
  const own = [env.S3_ENDPOINT, env.CDN_URL].map((url) => new URL(url).origin);
  return async (input, init) => {
    const request = new Request(input, init);
    const { origin } = new URL(request.url);
    if (origin === SIMULATOR) {
      if (!env.simulatorWorker) throw new Error("No simulator of the networks is bound as SIMULATOR.");
      budget.countRequest();
      request.headers.set("X-Sandbox-Scope", sandbox.scopeId);
      request.headers.set("X-Sandbox-Now", clock().toISOString());
      request.headers.set("X-Sandbox-Resets", String(sandbox.resets));
      return env.simulatorWorker.fetch(request);
    }
    if (origin === MODELS) return (await import("./canned-models.ts")).answerModel(request);
    // The guard of callers' URLs has checked it.
    if (own.includes(origin) || (init && isGuarded(init))) return fetch(input, init);
    throw new Error(`${origin} is not called in test mode.`);
  };
}
