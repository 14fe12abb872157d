// The simulator Worker, deployed separately (`-c functions/simulator/wrangler.toml`): the networks of test mode, which calls no network.
import { loadSimulatorState, saveSimulatorState } from "../../lib/queries/simulator-states.ts";
import { openDatabase } from "../../lib/services/database.ts";
import { formatError } from "../../lib/shared/format-error.ts";
import { pause } from "../../lib/shared/retry.ts";
import type { StoredState } from "../../lib/simulator/networks/context.ts";
import { type StateStore, simulate } from "../../lib/simulator/simulate.ts";

interface SimulatorEnv {
  DATABASE_URL: string;
  DATABASE_FETCH_URL?: string;
  /** Public base URL of the files bucket, from which networks read media. */
  CDN_URL: string;
}

export default {
  async fetch(request: Request, env: SimulatorEnv): Promise<Response> {
    const requestId = request.headers.get("x-request-id") ?? crypto.randomUUID();
    try {
      return await simulate(request, {
        store: openStore(env, requestId),
        fetch: (input, init) => fetch(input, init),
        mediaOrigins: [new URL(env.CDN_URL).origin],
        pause,
      });
    } catch (error) {
      console.error(JSON.stringify({ level: "error", request_id: requestId, error: formatError(error) }));
      return Response.json({ error: "The simulator failed." }, { status: 500 });
    }
  },
} satisfies ExportedHandler<SimulatorEnv>;

function openStore(env: SimulatorEnv, requestId: string): StateStore {
  const db = openDatabase(env, requestId);
  return {
    async load(scopeId, network) {
      const row = await loadSimulatorState(db, scopeId, network);
      return row && { state: row.state as StoredState, version: row.version };
    },
    save: (scopeId, network, state, expected) => saveSimulatorState(db, { scopeId, network, state, expected }),
  };
}
