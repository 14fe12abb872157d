// Scripts for the next answers of a network: refusals, silence, and connections lost before or after the effect.
import type { Network } from "./network.ts";

export const ANSWERS = ["refuse", "429", "500", "stall", "drop_before", "drop_after"] as const;
export type ScriptedAnswer = (typeof ANSWERS)[number];

export interface Script {
  network: string;
  times: number;
  answer: ScriptedAnswer;
  code?: string;
  call?: string;
  /** The network's own id of the account whose calls it is for; anybody's where it is left out. */
  account?: string;
  ms?: number;
}

const KEYS = ["network", "times", "answer", "code", "call", "account", "ms"];

/** Reads a script, or says in words what is wrong with it. */
export function readScript(value: unknown, networks: ReadonlyMap<string, Network>): Script | string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "The body must be a JSON object.";
  const input = value as Record<string, unknown>;
  const unknown = Object.keys(input).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0) return `Unknown key ${unknown.join(", ")}; known are ${KEYS.join(", ")}.`;
  const network = typeof input.network === "string" ? networks.get(input.network) : undefined;
  if (!network) return `network must be one of ${[...networks.keys()].join(", ")}.`;
  const answer = ANSWERS.find((known) => known === input.answer);
  if (!answer) return `answer must be one of ${ANSWERS.join(", ")}.`;
  const times = input.times ?? 1;
  if (!Number.isInteger(times) || Number(times) < 0) return "times must be a whole number, 0 or more.";
  if (input.call !== undefined && !network.calls.includes(String(input.call))) {
    return `call must be one of ${network.calls.join(", ")}.`;
  }
  if (input.code !== undefined && typeof input.code !== "string" && typeof input.code !== "number") {
    return "code must be a string.";
  }
  if (input.account !== undefined && typeof input.account !== "string") return "account must be a string.";
  if (input.ms !== undefined && !(typeof input.ms === "number" && input.ms >= 0))
    return "ms must be a number, 0 or more.";
  return {
    network: network.platform,
    times: Number(times),
    answer,
    ...(input.code === undefined ? {} : { code: String(input.code) }),
    ...(input.call === undefined ? {} : { call: String(input.call) }),
    ...(input.account === undefined ? {} : { account: input.account }),
    ...(typeof input.ms === "number" ? { ms: input.ms } : {}),
  };
}

export interface Scripts {
  /** Adds a script; `times: 0` takes back everything scripted for the network. */
  add(script: Script): void;
  /** The script for this call of this account, used up by one. */
  take(network: Network, call: string, account: string | null): Script | null;
  pending(): Script[];
  clear(): void;
}

export function createScripts(): Scripts {
  let scripts: Script[] = [];
  return {
    add(script) {
      scripts = script.times === 0 ? scripts.filter((one) => one.network !== script.network) : [...scripts, script];
    },
    take(network, call, account) {
      const script = scripts.find(
        (one) => one.network === network.platform && (one.account ?? account) === account && fits(one, network, call),
      );
      if (!script) return null;
      script.times -= 1;
      if (script.times === 0) scripts = scripts.filter((one) => one !== script);
      return script;
    },
    pending: () => scripts.map((script) => ({ ...script })),
    clear() {
      scripts = [];
    },
  };
}

/** Without a call named, a code that comes in one call only waits for that call. */
function fits(script: Script, network: Network, call: string): boolean {
  const natural = script.answer === "refuse" && script.code ? (network.callOfCode?.(script.code) ?? null) : null;
  return (script.call ?? natural ?? call) === call;
}
