// The endpoints of a simulated network, each stated once: the requests that it takes, and its answer.
import { TrieRouter } from "hono/router/trie-router";
import type { NetworkAccount, NetworkRequest, NetworkResponse, SimulatedNetwork } from "./network.ts";

/** The parameters of a path, decoded. */
export type PathParams = Readonly<Record<string, string>>;

type Answer = NetworkResponse | Promise<NetworkResponse>;

export interface Endpoint {
  /** Method and path, with parameters as in Hono's routes: `GET /rest/posts/:id`. */
  route: string;
  /** Of several endpoints with one route, the first that takes the request answers. By default it takes every request. */
  takes?: (request: NetworkRequest) => boolean;
  answer: (request: NetworkRequest, params: PathParams) => Answer;
}

/** Answers the account of a request. */
export type AccountAnswer = (account: NetworkAccount, request: NetworkRequest, params: PathParams) => Answer;

/** `authorize` returns the account of a request, or the error of a token that is not accepted. */
export function createSignedIn(authorize: (request: NetworkRequest) => NetworkAccount | NetworkResponse) {
  return (answer: AccountAnswer): Endpoint["answer"] =>
    (request, params) => {
      const found = authorize(request);
      return "externalId" in found ? answer(found, request, params) : found;
    };
}

/** `endpoints`: by the names of their calls. */
export function routeCalls(
  endpoints: Readonly<Record<string, Endpoint>>,
): Pick<SimulatedNetwork, "calls" | "matchCall" | "handle"> {
  const router = new TrieRouter<string>();
  for (const [call, { route }] of Object.entries(endpoints)) {
    const [method = "", path = ""] = route.split(" ");
    router.add(method, path, call);
  }
  const match = ({ method, path }: NetworkRequest) => router.match(method, path)[0] as [string, PathParams][];
  return {
    calls: Object.keys(endpoints),
    matchCall: (request) => match(request).find(([call]) => endpoints[call]?.takes?.(request) ?? true)?.[0] ?? null,
    async handle(call, request) {
      const endpoint = endpoints[call];
      if (!endpoint) throw new Error(`no endpoint has the call ${call}`);
      const [, params = {}] = match(request).find(([matched]) => matched === call) ?? [];
      const decoded = Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]);
      return endpoint.answer(request, Object.fromEntries(decoded));
    },
  };
}
