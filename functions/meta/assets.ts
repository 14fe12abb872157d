import { webRoute } from "../../lib/http/web-route.ts";

/** Scripts and styles of the dashboard, which change with each deployment. */
export default webRoute("meta.assets", {
  auth: "public",
  methods: ["GET"],
  paths: ["/dashboard/assets/:name"],

  handle: (request, { ASSETS }) => ASSETS.fetch(request),
});
