// The composer: the check while typing says what POST /posts/prepare would and stores nothing; TikTok's creator info is shown.
import { beforeAll, describe, expect, test } from "vitest";
import { callControl, createTestAccount, createTestTenant, type Tenant, type TestAccount } from "../support/harness.ts";
import { type Browser, signInMember } from "./dashboard.ts";

let tenant: Tenant;
let browser: Browser;

beforeAll(async () => {
  tenant = await createTestTenant();
  browser = await signInMember(tenant, "editor");
});

const base = () => `/dashboard/${tenant.workspaceId}/compose`;
const check = (...posts: object[]) => browser.visit(`${base()}/check`, { json: { posts } });

describe("the check while typing", () => {
  test("has the sentences of POST /posts/prepare, a preview per account, and stores nothing", async () => {
    const [bluesky, threads] = [await createTestAccount(tenant, "bluesky"), await createTestAccount(tenant, "threads")];
    const post = { caption: `${"long ".repeat(80)}<b>`, accounts: [{ id: bluesky.id }, { id: threads.id }] };
    const page = await check(post);
    expect(page.status).toBe(200);
    expect((await tenant.api.get("/posts")).body.data.posts).toEqual([]);
    const prepared = (await tenant.api.post("/posts/prepare", post, { "Idempotency-Key": "check" })).body.data;
    const [first, second] = prepared.checks;
    expect([first.ok, second.ok]).toEqual([false, true]);
    expect(page.text).toContain(`Bluesky ${bluesky.username}: ${first.problems[0].message}`);
    expect(page.text).toContain(`Threads ${threads.username}: fits`);
    expect(page.text).not.toContain("data-ok");
    expect(page.text.match(/class="card preview /g)).toHaveLength(2);
    expect(page.text).toContain("&lt;b&gt;");
    expect((await check({ ...post, caption: "short" })).text).toContain('data-ok="true"');
  });

  test("shows TikTok's settings in the words of its app", async () => {
    const tiktok = await createTestAccount(tenant, "tiktok");
    const settings = { privacy_level: "FOLLOWER_OF_CREATOR", disable_comment: true, disable_duet: false };
    const promoted = { is_commercial: true, is_your_brand: true, is_branded_content: true, user_consent: true };
    const page = await check({
      caption: "A cut",
      accounts: [{ id: tiktok.id }],
      tiktok: { ...settings, ...promoted },
    });
    const facts = [...page.text.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(facts).toEqual([
      ["Who can view", "Followers"],
      ["Comments", "off"],
      ["Duets", "on"],
      ["Label", "Paid partnership"],
    ]);
    expect(page.text).toContain("TikTok needs a video or at least one photo.");
  });

  test("names the field that is wrong, and says nothing of an account of another workspace", async () => {
    const other = await createTestAccount(await createTestTenant(), "bluesky");
    const wrong = await check({ caption: "", accounts: [{ id: other.id }] });
    expect(wrong.text).toContain("Caption: Must not be empty.");
    const foreign = await check({ caption: "a", accounts: [{ id: other.id }] });
    expect(foreign.text).not.toContain(other.username);
    expect(foreign.text).not.toContain("fits");
  });

  test("400 for more than two posts and for what is no JSON", async () => {
    expect((await check({}, {}, {})).status).toBe(400);
    expect((await browser.visit(`${base()}/check`, { form: { posts: "[]" } })).status).toBe(400);
  });
});

describe("TikTok's creator info", () => {
  const ask = async ({ id }: TestAccount) => JSON.parse((await browser.visit(`${base()}/creators/${id}`)).text);

  test("is what TikTok answers for the account", async () => {
    const facts = { privacyLevels: ["FOLLOWER_OF_CREATOR", "SELF_ONLY"], duetDisabled: true, maxVideoSeconds: 60 };
    const account = await createTestAccount(tenant, "tiktok", { facts });
    expect(await ask(account)).toEqual({
      mayPost: true,
      creator: expect.objectContaining({
        nickname: account.username,
        privacyLevels: facts.privacyLevels,
        commentsDisabled: false,
        duetDisabled: true,
        maxSeconds: 60,
      }),
    });
  });

  test("says that a creator who has posted too much tries again later", async () => {
    const account = await createTestAccount(tenant, "tiktok");
    await callControl("POST", "/_behave", {
      network: "tiktok",
      account: account.externalId,
      call: "creator_info/query",
      answer: "refuse",
      code: "spam_risk_too_many_posts",
      times: 1,
    });
    expect(await ask(account)).toEqual({
      mayPost: false,
      message: "The account's daily posting limit is reached. Try again later.",
    });
  });

  test("404 for accounts of other workspaces and of other networks", async () => {
    const other = await createTestAccount(await createTestTenant(), "tiktok");
    const bluesky = await createTestAccount(tenant, "bluesky");
    for (const { id } of [other, bluesky]) expect((await browser.visit(`${base()}/creators/${id}`)).status).toBe(404);
  });
});

test("nothing is preselected for TikTok, and the page names both policies", async () => {
  await createTestAccount(tenant, "tiktok");
  const { text } = await browser.visit(base());
  const [, options = ""] = text.match(/<select id="tiktok-privacy"[^>]*>(.*?)<\/select>/s) ?? [];
  expect(options).toBe('<option value="">Choose</option>');
  const boxes = [...text.matchAll(/<input[^>]*id="tiktok-[^>]*>/g)].map(([box]) => box);
  expect(boxes).toHaveLength(6);
  for (const box of boxes) expect(box).not.toContain("checked");
  expect(text).toContain("https://www.tiktok.com/legal/page/global/music-usage-confirmation/en");
  expect(text).toContain("https://www.tiktok.com/legal/page/global/bc-policy/en");
});

describe("what the composer opens with", () => {
  test("two drafts of one text are one form again, with the settings of both", async () => {
    const [tiktok, bluesky] = [await createTestAccount(tenant, "tiktok"), await createTestAccount(tenant, "bluesky")];
    const prepare = async (body: object) => (await tenant.api.post("/posts/prepare", body)).body.data;
    const own = await prepare({
      caption: "Both",
      accounts: [{ id: tiktok.id }],
      tiktok: { privacy_level: "SELF_ONLY" },
    });
    const other = await prepare({ caption: "Both", accounts: [{ id: bluesky.id }] });
    const { status, text } = await browser.visit(`${base()}?draft=${own.id}&draft=${other.id}`);
    expect(status).toBe(200);
    const data = (name: string) =>
      JSON.parse((text.match(new RegExp(`data-${name}="([^"]*)"`))?.[1] ?? "null").replaceAll("&quot;", '"'));
    expect(data("drafts")).toEqual([
      { id: own.id, kind: "tiktok", updatedAt: own.updated_at },
      { id: other.id, kind: "others", updatedAt: other.updated_at },
    ]);
    expect(data("tiktok")).toEqual({ privacy_level: "SELF_ONLY" });
    for (const { id } of [tiktok, bluesky]) {
      expect(text.match(new RegExp(`<input[^>]*value="${id}"[^>]*>`))?.[0]).toContain("checked");
    }
    const only = await browser.visit(`${base()}?draft=${own.id}&draft=${other.id.replace(/^./, "f")}`);
    expect(only.status).toBe(200);
    expect((await browser.visit(`${base()}?draft=${own.id}&draft=nothing`)).status).toBe(404);
  });

  test("files, slides and a caption that another page hands over; 404 for those of another workspace", async () => {
    const url = "https://example.com/cut.mp4";
    const { text } = await browser.visit(`${base()}?${new URLSearchParams({ file: url, caption: "An <idea>" })}`);
    expect(text).toContain("An &lt;idea&gt;");
    expect(text).toContain("&quot;type&quot;:&quot;video/mp4&quot;");
    const unknown = "01a00000-0000-7000-8000-000000000000";
    for (const query of [`file=${unknown}`, `slideshow=${unknown}`, "slideshow=1"]) {
      expect((await browser.visit(`${base()}?${query}`)).status).toBe(404);
    }
    const script = await browser.visit(`${base()}?${new URLSearchParams({ file: "javascript:alert(1)" })}`);
    expect([script.status, script.text.includes("javascript:")]).toEqual([200, false]);
  });

  test("has a field for each setting of a network that it names", async () => {
    const { text } = await browser.visit(base());
    for (const setting of ["instagram.post_type", "youtube.thumbnail", "x.who_can_reply_post", "pinterest.board_id"]) {
      expect(text).toContain(`data-setting="${setting}"`);
    }
    const topic = /<input id="threads-topic_tag"[^>]*>/.exec(text)?.[0];
    expect(topic, "the limit is that of the settings_schema").toContain('maxlength="50"');
  });
});

describe("what single accounts have of their own", () => {
  test("has a field of the caption for each account, and of the first comment where its network has one", async () => {
    const [bluesky, threads] = [await createTestAccount(tenant, "bluesky"), await createTestAccount(tenant, "threads")];
    const { text } = await browser.visit(base());
    const has = (name: string, { id }: TestAccount) => text.includes(`<textarea id="own-${name}-${id}"`);
    expect([bluesky, threads].map((account) => has("caption", account))).toEqual([true, true]);
    const { accounts } = (await tenant.api.get("/accounts")).body.data;
    for (const { id, capabilities } of accounts as (TestAccount & {
      capabilities: { first_comment_limit: number | null; alt_text_limit: number | null };
    })[]) {
      const box = text.match(new RegExp(`<input[^>]*value="${id}"[^>]*>`))?.[0] ?? "";
      expect(box.match(/data-alt-text="(\d+)"/)?.[1]).toBe(capabilities.alt_text_limit?.toString());
      expect(text.includes(`id="own-comment-${id}"`)).toBe(capabilities.first_comment_limit !== null);
    }
  });

  test("shows what a draft has, and previews it", async () => {
    const [bluesky, threads] = [await createTestAccount(tenant, "bluesky"), await createTestAccount(tenant, "threads")];
    const body = {
      ...{ caption: "Of all", first_comment: "Below" },
      accounts: [{ id: bluesky.id, caption: "Of <one>" }, { id: threads.id }],
    };
    const { id } = (await tenant.api.post("/posts/prepare", body)).body.data;
    const { text } = await browser.visit(`${base()}?draft=${id}`);
    const read = (id: string) => text.match(new RegExp(`<textarea id="${id}"[^>]*>([^<]*)`))?.[1];
    expect(read(`own-caption-${bluesky.id}`)).toBe("Of &lt;one&gt;");
    expect(read(`own-caption-${threads.id}`)).toBe("");
    expect(read(`own-comment-${threads.id}`)).toBe("");
    expect(read("first-comment")).toBe("Below");
    const previews = (await check(body)).text.split('class="card preview ').slice(1);
    expect(previews.map((preview) => preview.includes("Of &lt;one&gt;"))).toEqual([true, false]);
  });
});
