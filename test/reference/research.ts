// The examples of trends, the viral library and analytics.
import { processRefreshes } from "../analytics/refreshes.ts";
import { generateViralPosts } from "../local/corpus/viral.ts";
import { createTestAccount, openTestDatabase, type Tenant } from "../support/harness.ts";
import { buildVideo, storeVideos } from "../trends/factories.ts";
import { storePosts } from "../viral-library/corpus.ts";
import type { Recorder } from "./recorder.ts";

export async function sendResearchExamples({ send }: Recorder, tenant: Tenant): Promise<void> {
  const db = openTestDatabase();
  await storeVideos(db, [
    buildVideo({ video_id: "example-1", caption: "Oolong at home", hashtags: ["#oolong"], views: 52_000 }),
    buildVideo({ video_id: "example-2", caption: "An oolong for the morning", views: 31_000 }),
  ]);
  await send("trends.brief", { title: "A word", query: { keyword: "oolong", range: "30d", limit: "2" } });

  const lines = [...generateViralPosts({ count: 40, seed: 7 })];
  await storePosts(db, lines);
  const spoken = lines.find(({ transcript }) => transcript);
  const postId = `${spoken?.platform}_${spoken?.id}`;
  await send("viral-library.search", { title: "An idea", query: { q: "a calm morning routine", limit: "2" } });
  await send("viral-library.get", { title: "A post", params: { postId } });
  await send("viral-library.transcript", { title: "A transcript", params: { postId } });

  const account = await createTestAccount(tenant, "instagram", { facts: { posts: 4 } });
  const body = { platform: "instagram", identifier: "tea.example.studio", alias: "Tea studio" };
  const other = await send("analytics.create-target", { title: "An account", body });
  await send("analytics.create-target", { title: "The same account again", status: 200, body });
  const mine = await tenant.api.post("/analytics/targets", { platform: "instagram", identifier: account.username });
  const params = { targetId: mine.body.data.target.id };
  const { refresh } = await send("analytics.refresh-target", { title: "Today's refresh", params });
  await processRefreshes([refresh.id]);
  await send("analytics.get-refresh", { title: "A finished refresh", params: { refreshId: refresh.id } });
  await send("analytics.get-target", { title: "The last 30 days", params, query: { range: "30d" } });
  await send("analytics.list-targets", { title: "All targets" });
  await send("analytics.update-target", {
    title: "A favorite",
    params,
    body: { favorite: true, refreshPolicy: { maxPosts: 500 } },
  });
  await send("analytics.summary", { title: "Two weeks", query: { range: "14d", platforms: "instagram" } });
  await send("analytics.summary-posts", {
    title: "The most viewed",
    query: { range: "90d", sortBy: "views", limit: "2" },
  });
  await send("analytics.delete-target", { title: "A target", params: { targetId: other.target.id } });
}
