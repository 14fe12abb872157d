// GET /accounts: visible accounts and their capabilities.
import { expect, test } from "vitest";
import { PLATFORMS } from "../../lib/shared/platforms.ts";
import { createTestAccount, createTestTenant } from "../support/harness.ts";

const KINDS = ["mixed_carousel", "multi_image", "single_image", "single_video", "text_only"];

test("200 returns the active accounts of the workspace with capabilities, without paused and other workspaces' accounts", async () => {
  const tenant = await createTestTenant();
  const byo = await createTestAccount(tenant, "tiktok");
  const hosted = await createTestAccount(tenant, "tiktok", { type: "hosted" });
  await createTestAccount(tenant, "instagram", { status: "paused" });
  await createTestAccount(await createTestTenant(), "instagram");
  const { status, body } = await tenant.api.get("/accounts?anything=1");
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    scope: "workspace",
    owner_user_id: tenant.ownerId,
    workspace_id: tenant.workspaceId,
  });
  expect(body.data.accounts.map(({ id }: { id: string }) => id)).toEqual([byo.id, hosted.id]);
  expect(body.data.accounts[0]).toMatchObject({
    platform: "tiktok",
    type: "byo",
    username: byo.username,
    status: "active",
    workspace_id: tenant.workspaceId,
    capabilities: { caption_limit: 2200, media_limits: { max_images: 35, max_videos: 1, max_video_seconds: 600 } },
  });
  expect(body.data.accounts[1].capabilities).toMatchObject({
    caption_limit: 500,
    media_limits: { max_video_seconds: 60 },
    unsupported_content_kind_reasons: { text_only: expect.stringMatching(/media|video|image/) },
  });
  expect(body.data.accounts[0]).not.toHaveProperty("access_token");
  expect(body.data.accounts[0]).not.toHaveProperty("accessToken");
});

test("200 returns the personal accounts for a personal key, or an empty list", async () => {
  const alone = await createTestTenant({ personal: true });
  expect((await alone.api.get("/accounts")).body.data.accounts).toEqual([]);
  const account = await createTestAccount(alone, "instagram");
  const { body } = await alone.api.get("/accounts");
  expect(body.data).toMatchObject({ scope: "personal", workspace_id: null });
  expect(body.data.accounts).toMatchObject([{ id: account.id, workspace_id: null }]);
});

test("every kind of content is supported or has a reason, and text alone is accepted only where it is listed", async () => {
  const tenant = await createTestTenant();
  const accounts = await Promise.all([
    ...PLATFORMS.map((platform) => createTestAccount(tenant, platform)),
    createTestAccount(tenant, "tiktok", { type: "hosted" }),
  ]);
  const { accounts: listed } = (await tenant.api.get("/accounts")).body.data;
  expect(listed).toHaveLength(accounts.length);
  for (const { id, type, platform, capabilities } of listed) {
    const { supported_content_kinds: kinds, unsupported_content_kind_reasons: reasons } = capabilities;
    expect([platform, [...kinds, ...Object.keys(reasons)].toSorted()]).toEqual([platform, KINDS]);
    for (const reason of Object.values(reasons)) expect(reason).toMatch(/^[A-Z].+\.$/);
    if (type === "hosted") expect(kinds).not.toContain("text_only");
    const response = await tenant.api.post("/posts/prepare", { caption: "Text alone", accounts: [{ id }] });
    const [check] = response.body.data?.checks ?? [];
    expect([platform, type, check?.ok]).toEqual([platform, type, kinds.includes("text_only")]);
  }
});
