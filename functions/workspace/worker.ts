// The Worker of the dashboard, deployed separately (`-c functions/workspace/wrangler.toml`): sign-in and pages for people.
import app from "./app.tsx";

export default { fetch: app.fetch } satisfies ExportedHandler<Record<string, unknown>>;
