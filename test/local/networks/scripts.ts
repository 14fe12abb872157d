// Scripts the next responses of a network: errors, stalls, and connections dropped before or after the effect.
import type { SimulatedNetwork } from "../../../lib/simulator/networks/network.ts";

export const SCRIPTED_ANSWERS = ["refuse", "429", "500", "stall", "drop_before", "drop_after"] as const;
export type ScriptedAnswer = (typeof SCRIPTED_ANSWERS)[number];

export interface Script {
  network: string;
  times: number;
  answer: ScriptedAnswer;
  code?: string;
  call?: string;
  /** The network's id of the account; without it, the script applies to all accounts. */
  account?: string;
  ms?: number;
}

const SCRIPT_KEYS = ["network", "times", "answer", "code", "call", "account", "ms"];

/** Parses a script; returns an error message when it is invalid. */
export function parseScript(value: unknown, networks: ReadonlyMap<string, SimulatedNetwork>): Script | string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "The body must be a JSON object.";
  const input = value as Record<string, unknown>;
  const unknown = Object.keys(input).filter((key) => !SCRIPT_KEYS.includes(key));
  if (unknown.length > 0) return `Unknown key ${unknown.join(", ")}; allowed are ${SCRIPT_KEYS.join(", ")}.`;
  const network = typeof input.network === "string" ? networks.get(input.network) : undefined;
  if (!network) return `network must be one of ${[...networks.keys()].join(", ")}.`;
  const answer = SCRIPTED_ANSWERS.find((candidate) => candidate === input.answer);
  if (!answer) return `answer must be one of ${SCRIPTED_ANSWERS.join(", ")}.`;
  const times = input.times ?? 1;
  if (!Number.isInteger(times) || Number(times) < 0) return "times must be an integer, 0 or more.";
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

export interface ScriptQueue {
  /** Adds a script; `times: 0` removes all scripts of the network. */
  add(script: Script): void;
  /** Returns the script for this call of this account and consumes one use. */
  take(network: SimulatedNetwork, call: string, account: string | null): Script | null;
  pending(): Script[];
  /** Takes back the scripts of one account, or all with null. */
  clear(account: string | null): void;
}

export function createScriptQueue(): ScriptQueue {
  let scripts: Script[] = [];
  return {
    add(script) {
      scripts = script.times === 0 ? scripts.filter(({ network }) => network !== script.network) : [...scripts, script];
    },
    take(network, call, account) {
      const script = scripts.find(
        (candidate) =>
          candidate.network === network.platform &&
          (candidate.account ?? account) === account &&
          matchesCall(candidate, network, call),
      );
      if (!script) return null;
      script.times -= 1;
      if (script.times === 0) scripts = scripts.filter((other) => other !== script);
      return script;
    },
    pending: () => scripts.map((script) => ({ ...script })),
    clear(account) {
      scripts = account === null ? [] : scripts.filter((script) => script.account !== account);
    },
  };
}

/** A script without `call` applies to the one call that can return its code, otherwise to every call. */
function matchesCall(script: Script, network: SimulatedNetwork, call: string): boolean {
  const onlyCall = script.answer === "refuse" && script.code ? (network.findCallForCode?.(script.code) ?? null) : null;
  return (script.call ?? onlyCall ?? call) === call;
}
