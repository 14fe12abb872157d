import { Hono } from "hono";
import { requestIdFrom } from "../../lib/envelope.ts";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Partner API reference</title>
</head>
<body>
<div id="reference"></div>
<script src="/reference.js"></script>
<script>
Scalar.createApiReference("#reference", {
  url: "/openapi.json",
  hideClientButton: true,
  telemetry: false,
  showDeveloperTools: "never",
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
});
</script>
</body>
</html>
`;

/** The interactive reference; its script is an asset of this Worker, so that the page asks nobody else. */
const docs = new Hono();
docs.get("/docs", (c) => c.html(PAGE, 200, { "X-Request-Id": requestIdFrom(c.req.header("x-request-id")) }));

export default docs;
