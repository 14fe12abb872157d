// The Worker of the static files, deployed separately (`-c functions/assets/wrangler.toml`).
// It has a script because Cloudflare documents no service binding to a Worker of static files alone.

export default {
  fetch: (request, { ASSETS }) => ASSETS.fetch(request),
} satisfies ExportedHandler<{ ASSETS: Fetcher }>;
