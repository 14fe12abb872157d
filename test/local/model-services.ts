// Real models for the local stack: MODEL_URL, SPEECH_URL and EMBEDDINGS_URL of the environment or of `.env`, with the settings
// that belong to them. Each is asked at the start whether it responds, and what does not is no reason to stop. README's example is
// Ollama, whose API of OpenAI's form is at http://localhost:11434/v1: https://docs.ollama.com/api/openai-compatibility, read 2026-11-28.
import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { DIMENSIONS } from "../../lib/ai/embeddings.ts";
import { SETTING_NAMES } from "../../lib/services/env.ts";

type Settings = Readonly<Record<string, string | undefined>>;
export type ModelKind = "MODEL" | "SPEECH" | "EMBEDDINGS";

interface Kind {
  prefix: ModelKind;
  name: string;
  /** A sentence about the fake. */
  fake: string;
  /** The setting that names the model; required where the service has no default for a URL. */
  modelSetting: string;
  isModelRequired: boolean;
}

const KINDS: readonly Kind[] = [
  {
    ...{ prefix: "MODEL", name: "texts", modelSetting: "MODEL_NAME", isModelRequired: true },
    fake: "fake: sentences from a list about the topic in English, placeholders in other languages",
  },
  {
    ...{ prefix: "SPEECH", name: "speech", modelSetting: "SPEECH_MODEL", isModelRequired: false },
    fake: "fake: it recognizes only the tones of the sample video, not what people say",
  },
  {
    ...{ prefix: "EMBEDDINGS", name: "search", modelSetting: "EMBEDDINGS_MODEL", isModelRequired: true },
    fake: "real, on this machine: the Universal Sentence Encoder, for English",
  },
];

const PROBE_MS = 3_000;

/** A setting that the start cannot go on with; its message is for a person. */
export class ModelSettingError extends Error {}

export interface ModelServices {
  /** The settings of the Worker that are not those of the fakes. */
  vars: Record<string, string>;
  /** The kinds whose settings are not those of the fakes. */
  real: ReadonlySet<ModelKind>;
  /** One for each kind: what is real and what is fake. */
  lines: string[];
}

/** The environment takes precedence over the file. */
export async function readModelSettings(file: string, environment: Settings): Promise<Settings> {
  const text = await readFile(file, "utf8").catch(() => "");
  const settings: Settings = { ...parseEnv(text), ...environment };
  return Object.fromEntries(
    SETTING_NAMES.filter((name) => KINDS.some(({ prefix }) => name.startsWith(`${prefix}_`))).map((name) => [
      name,
      settings[name] || undefined,
    ]),
  );
}

export async function findModelServices(settings: Settings): Promise<ModelServices> {
  const found = await Promise.all(KINDS.map((kind) => findService(kind, settings)));
  return {
    vars: Object.assign({}, ...found.map(({ vars }) => vars)),
    real: new Set(KINDS.flatMap(({ prefix }, at) => (Object.keys(found[at]?.vars ?? {}).length > 0 ? prefix : []))),
    lines: found.map(({ line }) => line),
  };
}

async function findService(kind: Kind, settings: Settings): Promise<{ vars: Record<string, string>; line: string }> {
  const { prefix, name, modelSetting } = kind;
  const url = settings[`${prefix}_URL`];
  const label = name.padEnd(10);
  if (!url) return { vars: {}, line: `${label} ${kind.fake}` };
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new ModelSettingError(`${prefix}_URL must be a URL such as http://127.0.0.1:11434/v1, not ${url}`);
  const model = settings[modelSetting];
  if (kind.isModelRequired && !model)
    throw new ModelSettingError(`${prefix}_URL is set: set ${modelSetting} to the name of one of its models, too.`);
  const own = Object.entries(settings).flatMap(([setting, value]) =>
    setting.startsWith(`${prefix}_`) && value ? [[setting, value] as const] : [],
  );
  const place = `${model ? `${model} at ` : ""}${url}`;
  const problem = await (prefix === "EMBEDDINGS"
    ? probeEmbeddings(settings)
    : probe(url, settings[`${prefix}_API_KEY`]));
  if (problem?.isUnusable)
    return { vars: {}, line: `${label} ${kind.fake}\n${" ".repeat(13)}${place} is not used: ${problem.reason}` };
  return { vars: Object.fromEntries(own), line: `${label} real: ${place}${problem ? `, but ${problem.reason}` : ""}` };
}

interface Problem {
  reason: string;
  /** The service works better with the fake. */
  isUnusable: boolean;
}

/** OpenAI's list of models: the cheapest request that needs the key. */
async function probe(url: string, key: string | undefined): Promise<Problem | null> {
  return findProblem(await send(`${url.replace(/\/+$/, "")}/models`, key));
}

/** Embeds a word, because only a vector tells how many numbers it has. */
async function probeEmbeddings({
  EMBEDDINGS_URL: url = "",
  EMBEDDINGS_API_KEY: key,
  EMBEDDINGS_MODEL: model,
}: Settings) {
  const body = { model, input: ["light"], dimensions: DIMENSIONS, encoding_format: "float" };
  const response = await send(`${url.replace(/\/+$/, "")}/embeddings`, key, body);
  const problem = findProblem(response);
  if (problem || typeof response === "string") return problem;
  const { data } = (await response.json().catch(() => ({}))) as { data?: { embedding?: number[] }[] };
  const length = data?.[0]?.embedding?.length;
  if (length === DIMENSIONS) return null;
  const reason =
    length === undefined
      ? "its response has no vector"
      : `its vectors have ${length} numbers, and the library stores ${DIMENSIONS}. Name a model of ${DIMENSIONS} in EMBEDDINGS_MODEL, such as all-minilm of Ollama`;
  return { reason, isUnusable: true };
}

/** Returns a sentence where there is no response. */
async function send(url: string, key: string | undefined, body?: object): Promise<Response | string> {
  const headers = { "Content-Type": "application/json", ...(key ? { Authorization: `Bearer ${key}` } : {}) };
  const request = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
  try {
    return await fetch(url, { ...request, signal: AbortSignal.timeout(PROBE_MS) });
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return isLate
      ? `it did not respond within ${PROBE_MS / 1000} s`
      : "nothing responds there: start it, or correct the URL";
  }
}

function findProblem(response: Response | string): Problem | null {
  if (typeof response === "string") return { reason: response, isUnusable: false };
  if (response.status === 401 || response.status === 403)
    return { reason: `it rejects the key (HTTP ${response.status})`, isUnusable: false };
  return null;
}
