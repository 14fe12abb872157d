// The Worker of the static files, deployed separately (`-c functions/assets/wrangler.toml`).
// It has a script because https://developers.cloudflare.com/workers/static-assets/binding/, read 2026-11-27, does not say that a
// service binding reaches a Worker that has only static files.

export default {
  fetch: (request, { ASSETS }) => ASSETS.fetch(request),
} satisfies ExportedHandler<{ ASSETS: Fetcher }>;
