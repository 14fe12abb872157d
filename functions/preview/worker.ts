// The Worker of a branch (`npm run preview`): the API with the pages for people, the tools for agents and the simulated networks in one,
// because Workers that a preview is bound to are those of production, with another database.
import api from "../index.ts";
import mcp from "../mcp/worker.ts";
import simulator from "../simulator/worker.ts";
import workspace from "../workspace/worker.ts";

type Bindings = Record<string, unknown>;

interface SimulatorBindings {
  DATABASE_URL: string;
  CDN_URL: string;
}

export default {
  fetch(request: Request, env: Bindings, ctx: ExecutionContext): Response | Promise<Response> {
    const own: Bindings = { ...env };
    const { DATABASE_URL, CDN_URL, DATABASE_FETCH_URL } = env as Bindings &
      SimulatorBindings & { DATABASE_FETCH_URL?: string };
    const settings = { DATABASE_URL, CDN_URL, ...(DATABASE_FETCH_URL ? { DATABASE_FETCH_URL } : {}) };
    own.SIMULATOR = { fetch: (called: Request) => simulator.fetch(called, settings) };
    own.MCP = { fetch: (called: Request) => mcp.fetch(called, own, ctx) };
    own.WORKSPACE = { fetch: (called: Request) => workspace.fetch(called, own, ctx) };
    return api.fetch(request, own, ctx);
  },
};
