// The route table: every endpoint, sorted by id. Its module is evaluated at the first request.
import type { Endpoint } from "../lib/http/endpoint-spec.ts";
import type { RoutePattern } from "../lib/http/route-path.ts";
import type { WebRoute } from "../lib/http/web-route.ts";
import {
  APPROVAL_PATH,
  CONNECT_CALLBACK_PATH,
  CONNECT_PATH,
  EDITOR_PATH,
  MCP_PATH,
  OAUTH_PATH,
  RESOURCE_METADATA_PATH,
  SERVER_METADATA_PATH,
} from "../lib/shared/paths.ts";

interface Route {
  route: RoutePattern;
  load(): Promise<{ default: Endpoint }>;
}

export const routes: Record<string, Route> = {
  "accounts.create-connect-link": {
    route: "POST /accounts/connect-links",
    load: () => import("./accounts/create-connect-link.ts"),
  },
  "accounts.delete-connect-link": {
    route: "DELETE /accounts/connect-links/{linkId}",
    load: () => import("./accounts/delete-connect-link.ts"),
  },
  "accounts.disconnect": { route: "DELETE /accounts/{accountId}", load: () => import("./accounts/disconnect.ts") },
  "accounts.get-connect-link": {
    route: "GET /accounts/connect-links/{linkId}",
    load: () => import("./accounts/get-connect-link.ts"),
  },
  "accounts.get-slots": { route: "GET /accounts/{accountId}/slots", load: () => import("./accounts/get-slots.ts") },
  "accounts.list": { route: "GET /accounts", load: () => import("./accounts/list.ts") },
  "accounts.options": { route: "GET /accounts/{accountId}/options", load: () => import("./accounts/options.ts") },
  "accounts.set-slots": { route: "PUT /accounts/{accountId}/slots", load: () => import("./accounts/set-slots.ts") },
  "analytics.create-target": { route: "POST /analytics/targets", load: () => import("./analytics/create-target.ts") },
  "analytics.delete-target": {
    route: "DELETE /analytics/targets/{targetId}",
    load: () => import("./analytics/delete-target.ts"),
  },
  "analytics.get-refresh": {
    route: "GET /analytics/refreshes/{refreshId}",
    load: () => import("./analytics/get-refresh.ts"),
  },
  "analytics.get-target": {
    route: "GET /analytics/targets/{targetId}",
    load: () => import("./analytics/get-target.ts"),
  },
  "analytics.list-targets": { route: "GET /analytics/targets", load: () => import("./analytics/list-targets.ts") },
  "analytics.refresh-target": {
    route: "POST /analytics/targets/{targetId}/refresh",
    load: () => import("./analytics/refresh-target.ts"),
  },
  "analytics.summary": { route: "GET /analytics/summary", load: () => import("./analytics/summary.ts") },
  "analytics.summary-posts": {
    route: "GET /analytics/summary/posts",
    load: () => import("./analytics/summary-posts.ts"),
  },
  "analytics.update-target": {
    route: "PATCH /analytics/targets/{targetId}",
    load: () => import("./analytics/update-target.ts"),
  },
  "approvals.approve": {
    route: "POST /posts/{postId}/approvals/{approvalId}/approve",
    load: () => import("./approvals/approve.ts"),
  },
  "approvals.create": { route: "POST /posts/{postId}/approvals", load: () => import("./approvals/create.ts") },
  "approvals.list": { route: "GET /posts/{postId}/approvals", load: () => import("./approvals/list.ts") },
  "approvals.withdraw": {
    route: "DELETE /posts/{postId}/approvals/{approvalId}",
    load: () => import("./approvals/withdraw.ts"),
  },
  "editor.captions": {
    route: "POST /editor/projects/{projectId}/captions",
    load: () => import("./editor/captions.ts"),
  },
  "editor.create": { route: "POST /editor/projects", load: () => import("./editor/create.ts") },
  "editor.delete": { route: "DELETE /editor/projects/{projectId}", load: () => import("./editor/delete.ts") },
  "editor.get": { route: "GET /editor/projects/{projectId}", load: () => import("./editor/get.ts") },
  "editor.list": { route: "GET /editor/projects", load: () => import("./editor/list.ts") },
  "editor.transcript": {
    route: "GET /editor/projects/{projectId}/transcript",
    load: () => import("./editor/transcript.ts"),
  },
  "editor.update": { route: "PATCH /editor/projects/{projectId}", load: () => import("./editor/update.ts") },
  "events.list": { route: "GET /events", load: () => import("./events/list.ts") },
  "files.abort-multipart": {
    route: "DELETE /files/multipart/{uploadId}",
    load: () => import("./files/abort-multipart.ts"),
  },
  "files.complete-multipart": {
    route: "POST /files/multipart/{uploadId}/complete",
    load: () => import("./files/complete-multipart.ts"),
  },
  "files.delete": { route: "DELETE /files/{fileId}", load: () => import("./files/delete.ts") },
  "files.finalize": { route: "POST /files/{fileId}/finalize", load: () => import("./files/finalize.ts") },
  "files.get": { route: "GET /files/{fileId}", load: () => import("./files/get.ts") },
  "files.list": { route: "GET /files", load: () => import("./files/list.ts") },
  "files.sign-parts": { route: "POST /files/multipart/{uploadId}/parts", load: () => import("./files/sign-parts.ts") },
  "files.start": { route: "POST /files", load: () => import("./files/start.ts") },
  "files.start-multipart": { route: "POST /files/multipart", load: () => import("./files/start-multipart.ts") },
  "folders.add-items": { route: "POST /folders/{folderId}/items", load: () => import("./folders/add-items.ts") },
  "folders.ancestors": { route: "GET /folders/{folderId}/ancestors", load: () => import("./folders/ancestors.ts") },
  "folders.create": { route: "POST /folders", load: () => import("./folders/create.ts") },
  "folders.delete": { route: "DELETE /folders/{folderId}", load: () => import("./folders/delete.ts") },
  "folders.get": { route: "GET /folders/{folderId}", load: () => import("./folders/get.ts") },
  "folders.list": { route: "GET /folders", load: () => import("./folders/list.ts") },
  "folders.list-items": { route: "GET /folders/{folderId}/items", load: () => import("./folders/list-items.ts") },
  "folders.remove-items": {
    route: "DELETE /folders/{folderId}/items",
    load: () => import("./folders/remove-items.ts"),
  },
  "folders.update": { route: "PATCH /folders/{folderId}", load: () => import("./folders/update.ts") },
  "meta.health": { route: "GET /health", load: () => import("./meta/health.ts") },
  "meta.status": { route: "GET /status", load: () => import("./meta/status.ts") },
  "packs.add-image": { route: "POST /packs/{packId}/images", load: () => import("./packs/add-image.ts") },
  "packs.create": { route: "POST /packs", load: () => import("./packs/create.ts") },
  "packs.delete": { route: "DELETE /packs/{packId}", load: () => import("./packs/delete.ts") },
  "packs.get": { route: "GET /packs/{packId}", load: () => import("./packs/get.ts") },
  "packs.list": { route: "GET /packs", load: () => import("./packs/list.ts") },
  "packs.remove-image": {
    route: "DELETE /packs/{packId}/images/{imageId}",
    load: () => import("./packs/remove-image.ts"),
  },
  "packs.update": { route: "PATCH /packs/{packId}", load: () => import("./packs/update.ts") },
  "posts.commit": { route: "POST /posts/{postId}/commit", load: () => import("./posts/commit.ts") },
  "posts.create": { route: "POST /posts", load: () => import("./posts/create.ts") },
  "posts.delete": { route: "POST /posts/delete", load: () => import("./posts/delete.ts") },
  "posts.edit-published": {
    route: "POST /posts/{postId}/edit-published",
    load: () => import("./posts/edit-published.ts"),
  },
  "posts.get": { route: "GET /posts/{postId}", load: () => import("./posts/get.ts") },
  "posts.list": { route: "GET /posts", load: () => import("./posts/list.ts") },
  "posts.prepare": { route: "POST /posts/prepare", load: () => import("./posts/prepare.ts") },
  "posts.retry": { route: "POST /posts/retry", load: () => import("./posts/retry.ts") },
  "posts.unpublish": { route: "POST /posts/{postId}/unpublish", load: () => import("./posts/unpublish.ts") },
  "posts.update": { route: "PATCH /posts/{postId}", load: () => import("./posts/update.ts") },
  "requests.get": { route: "GET /requests/{requestId}", load: () => import("./requests/get.ts") },
  "requests.list": { route: "GET /requests", load: () => import("./requests/list.ts") },
  "sandbox.advance": { route: "POST /sandbox/advance", load: () => import("./sandbox/advance.ts") },
  "sandbox.reset": { route: "POST /sandbox/reset", load: () => import("./sandbox/reset.ts") },
  "slideshows.create": { route: "POST /slideshows", load: () => import("./slideshows/create.ts") },
  "slideshows.delete": { route: "DELETE /slideshows/{slideshowId}", load: () => import("./slideshows/delete.ts") },
  "slideshows.duplicate": {
    route: "POST /slideshows/{slideshowId}/duplicate",
    load: () => import("./slideshows/duplicate.ts"),
  },
  "slideshows.generate": { route: "POST /slideshows/generate", load: () => import("./slideshows/generate.ts") },
  "slideshows.get": { route: "GET /slideshows/{slideshowId}", load: () => import("./slideshows/get.ts") },
  "slideshows.list": { route: "GET /slideshows", load: () => import("./slideshows/list.ts") },
  "slideshows.regenerate-slide": {
    route: "POST /slideshows/{slideshowId}/slides/{index}/regenerate",
    load: () => import("./slideshows/regenerate-slide.ts"),
  },
  "slideshows.render": { route: "POST /slideshows/{slideshowId}/render", load: () => import("./slideshows/render.ts") },
  "slideshows.update": { route: "PATCH /slideshows/{slideshowId}", load: () => import("./slideshows/update.ts") },
  "subscription.get": { route: "GET /subscription", load: () => import("./subscription/get.ts") },
  "templates.create": { route: "POST /templates", load: () => import("./templates/create.ts") },
  "templates.delete": { route: "DELETE /templates/{templateId}", load: () => import("./templates/delete.ts") },
  "templates.from-slideshow": {
    route: "POST /templates/from-slideshow/{slideshowId}",
    load: () => import("./templates/from-slideshow.ts"),
  },
  "templates.get": { route: "GET /templates/{templateId}", load: () => import("./templates/get.ts") },
  "templates.list": { route: "GET /templates", load: () => import("./templates/list.ts") },
  "templates.update": { route: "PATCH /templates/{templateId}", load: () => import("./templates/update.ts") },
  "trends.brief": { route: "GET /trends/brief", load: () => import("./trends/brief.ts") },
  "viral-library.get": { route: "GET /viral-library/{postId}", load: () => import("./viral-library/get.ts") },
  "viral-library.search": { route: "GET /viral-library", load: () => import("./viral-library/search.ts") },
  "viral-library.transcript": {
    route: "GET /viral-library/{postId}/transcript",
    load: () => import("./viral-library/transcript.ts"),
  },
  "webhooks.create": { route: "POST /webhooks", load: () => import("./webhooks/create.ts") },
  "webhooks.delete": { route: "DELETE /webhooks/{webhookId}", load: () => import("./webhooks/delete.ts") },
  "webhooks.deliveries": {
    route: "GET /webhooks/{webhookId}/deliveries",
    load: () => import("./webhooks/deliveries.ts"),
  },
  "webhooks.get": { route: "GET /webhooks/{webhookId}", load: () => import("./webhooks/get.ts") },
  "webhooks.list": { route: "GET /webhooks", load: () => import("./webhooks/list.ts") },
  "webhooks.redeliver": {
    route: "POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
    load: () => import("./webhooks/redeliver.ts"),
  },
  "webhooks.replay": { route: "POST /webhooks/{webhookId}/replay", load: () => import("./webhooks/replay.ts") },
  "webhooks.rotate-secret": {
    route: "POST /webhooks/{webhookId}/rotate-secret",
    load: () => import("./webhooks/rotate-secret.ts"),
  },
  "webhooks.test": { route: "POST /webhooks/{webhookId}/test", load: () => import("./webhooks/test.ts") },
  "webhooks.update": { route: "PATCH /webhooks/{webhookId}", load: () => import("./webhooks/update.ts") },
  "workspace-settings.get": { route: "GET /workspace", load: () => import("./workspace-settings/get.ts") },
  "workspace-settings.update": { route: "PATCH /workspace", load: () => import("./workspace-settings/update.ts") },
};

/** Pages and files beside the operations, from the root of the host. Literal paths come first. */
export const webRoutes: Record<
  string,
  Pick<WebRoute["spec"], "methods" | "paths"> & { load(): Promise<{ default: WebRoute }> }
> = {
  "meta.assets": {
    methods: ["GET"],
    paths: ["/dashboard/assets/:name"],
    load: () => import("./meta/assets.ts"),
  },
  "meta.approve": {
    methods: ["GET", "POST"],
    paths: [`${APPROVAL_PATH}/:token`],
    load: () => import("./meta/approve.ts"),
  },
  "meta.connect-callback": {
    methods: ["GET"],
    paths: [`${CONNECT_CALLBACK_PATH}/:platform`],
    load: () => import("./meta/connect-callback.ts"),
  },
  "meta.connect": {
    methods: ["GET", "POST"],
    paths: [`${CONNECT_PATH}/:token`, `${CONNECT_PATH}/:token/:step`],
    load: () => import("./meta/connect.ts"),
  },
  "meta.dashboard": {
    methods: ["GET", "POST", "PATCH", "DELETE"],
    paths: ["/dashboard", "/dashboard/*", "/auth/*", `${EDITOR_PATH}/*`],
    load: () => import("./meta/dashboard.ts"),
  },
  "meta.mcp": { methods: ["GET", "POST", "DELETE"], paths: [MCP_PATH], load: () => import("./meta/mcp.ts") },
  "meta.oauth": { methods: ["GET", "POST"], paths: [`${OAUTH_PATH}/*`], load: () => import("./meta/oauth.ts") },
  "meta.oauth-metadata": {
    methods: ["GET"],
    paths: [SERVER_METADATA_PATH, RESOURCE_METADATA_PATH, `${RESOURCE_METADATA_PATH}/*`],
    load: () => import("./meta/oauth-metadata.ts"),
  },
};

/** Loads every endpoint, for the OpenAPI document and the tests. */
export async function loadEndpoints(): Promise<Endpoint[]> {
  const modules = await Promise.all(Object.values(routes).map(({ load }) => load()));
  return modules.map((module) => module.default);
}
