// `npm run admin -- try-network` against the fakes of all nine networks: it publishes, reads back, and shows no secret.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Env, TRIALS } from "../../functions/commands/try-network/networks.ts";
import { createRedactor } from "../../functions/commands/try-network/redact.ts";
import { tryNetwork } from "../../functions/commands/try-network/try-network.ts";
import { PLATFORMS, type Platform } from "../../lib/shared/platforms.ts";
import { toExternalId } from "../../lib/simulator/networks/network.ts";
import { DEFAULT_BOARD_ID } from "../../lib/simulator/networks/pinterest-boards.ts";
import { type Networks, startNetworks } from "../local/networks/server.ts";
import { type MediaHost, startMediaHost } from "../platforms/media-host.ts";

const PASSWORD = "abcd-efgh-2345-6789";
/** Digits would be an organization at LinkedIn. */
const toAccount = (platform: Platform) => toExternalId(platform, platform === "linkedin" ? "member4711" : "4711");
const toToken = (platform: Platform) => `secret-token-of-${platform}`;

let networks: Networks;
let media: MediaHost;
let lines: string[];
beforeAll(async () => {
  const accounts = PLATFORMS.map((platform) => ({
    platform,
    externalId: toAccount(platform),
    username: "tester.bsky.test",
    accessToken: toToken(platform),
    refreshToken: `secret-refresh-of-${platform}`,
    facts: { appPassword: PASSWORD },
  }));
  networks = await startNetworks({ accounts, timing: { processingMs: 5, processingPolls: 1 } });
  media = await startMediaHost({ "a.jpg": 4_000 });
});
afterAll(() => Promise.all([networks.close(), media.close()]));
beforeEach(() => {
  lines = [];
});

function buildEnv(platform: Platform): Record<string, string> {
  const prefix = platform.toUpperCase();
  const { accountVariable } = TRIALS[platform];
  return {
    [`${prefix}_API_URL`]: `${networks.url}/${platform}`,
    [`${prefix}_ACCESS_TOKEN`]: toToken(platform),
    ...(accountVariable ? { [accountVariable]: toAccount(platform) } : {}),
    BLUESKY_IDENTIFIER: "did:plc:4711",
    BLUESKY_PASSWORD: PASSWORD,
    PINTEREST_BOARD_ID: DEFAULT_BOARD_ID,
    INSTAGRAM_IMAGE_URL: media.url("a.jpg"),
    PINTEREST_IMAGE_URL: media.url("a.jpg"),
  };
}

const run = (args: string[], env: Env) =>
  tryNetwork(args, { env, log: (line) => void lines.push(line), sleep: () => Promise.resolve() });
const published = (platform: Platform) => networks.published()[platform] ?? [];

describe("try-network", () => {
  test.each(PLATFORMS)("%s: the post is published and read back, and no secret is printed", async (platform) => {
    const code = await run([platform, "--keep"], buildEnv(platform));
    const output = lines.join("\n");
    expect(output).toContain("== read back");
    expect(output).toContain("OK. The post is kept");
    expect(code).toBe(0);
    expect(published(platform)).toHaveLength(1);
    expect(output).toMatch(/-> POST http/);
    expect(output).toMatch(/<- 20[01]/);
    for (const secret of [toToken(platform), PASSWORD, `secret-refresh-of-${platform}`]) {
      expect(output).not.toContain(secret);
    }
    expect(output).not.toMatch(/eyJ[\w-]+\.eyJ/);
    expect(output).not.toMatch(/(upload_id|signature|access_token)=(?!\*\*\*)/i);
  });

  test("bluesky: the post is deleted where the API can", async () => {
    await fetch(`${networks.url}/_published`, { method: "DELETE" });
    expect(await run(["bluesky"], buildEnv("bluesky"))).toBe(0);
    expect(lines.at(-1)).toBe("OK. The post was published, read back and deleted.");
    expect(published("bluesky")).toHaveLength(0);
  });

  test.each([
    ["tiktok", "SELF_ONLY"],
    ["youtube", "private"],
    ["linkedin", "CONNECTIONS"],
  ] as const)("%s: the post is %s", async (platform, expected) => {
    await fetch(`${networks.url}/_published`, { method: "DELETE" });
    await run([platform, "--keep"], buildEnv(platform));
    expect(JSON.stringify(published(platform)[0])).toContain(expected);
  });

  test("a network that does not delete posts says who has to", async () => {
    expect(await run(["tiktok"], buildEnv("tiktok"))).toBe(0);
    expect(lines.at(-1)).toMatch(/TikTok's API deletes no posts: delete it in the app/);
  });

  test("a token that the network rejects ends with its failure and exit code 1", async () => {
    const env = { ...buildEnv("twitter"), TWITTER_ACCESS_TOKEN: "not-the-token" };
    expect(await run(["x"], env)).toBe(1);
    expect(lines.at(-1)).toMatch(/^FAILED: auth \w+: .+\./);
    expect(lines.join("\n")).not.toContain("not-the-token");
  });

  test("a wrong app password names the variables", async () => {
    expect(await run(["bluesky"], { ...buildEnv("bluesky"), BLUESKY_PASSWORD: "aaaa-bbbb-cccc-dddd" })).toBe(1);
    expect(lines.at(-1)).toMatch(/does not accept BLUESKY_IDENTIFIER with BLUESKY_PASSWORD/);
    expect(lines.join("\n")).not.toContain("aaaa-bbbb-cccc-dddd");
  });

  test.each(PLATFORMS)("%s: every missing variable is named, with where to get it", async (platform) => {
    expect(await run([platform], {})).toBe(2);
    const required = TRIALS[platform].variables.filter(({ optional }) => !optional);
    for (const { name, from } of required) expect(lines.join("\n")).toContain(`${name}  ${from}`);
  });

  test.each([
    [[], /Name one network/],
    [["myspace"], /There is no network myspace\. Networks: tiktok, instagram/],
    [["bluesky", "--force"], /There is no option --force/],
  ])("%j is a mistake of the command", async (args, message) => {
    expect(await run(args, {})).toBe(2);
    expect(lines.join("\n")).toMatch(message);
  });

  test("--help explains the command and lists the variables of every network", async () => {
    expect(await run(["--help"], {})).toBe(0);
    for (const platform of PLATFORMS) {
      for (const { name } of TRIALS[platform].variables) expect(lines.join("\n")).toContain(name);
    }
  });
});

describe("what is printed", () => {
  test("hides known secrets, tokens in fields, signed URLs and long values", () => {
    const redactor = createRedactor();
    redactor.add("hunter2hunter2");
    expect(redactor.text("password hunter2hunter2")).toBe("password ***");
    expect(redactor.url("https://a.example/x?access_token=abcdefgh&part=status&X-Amz-Signature=00ff")).toBe(
      "https://a.example/x?access_token=***&part=status&X-Amz-Signature=***",
    );
    const body = {
      accessJwt: "abc.def",
      upload_url: "https://up.example/1?sig=00ff",
      ok: true,
      fields: { policy: "cG9s" },
    };
    expect(redactor.body(JSON.stringify(body))).toBe(
      '{"accessJwt":"***","upload_url":"https://up.example/1?***","ok":true,"fields":{"policy":"***"}}',
    );
    expect(redactor.body("grant_type=refresh&refresh_token=zyxwvuts")).toBe(
      '{"grant_type":"refresh","refresh_token":"***"}',
    );
    // A secret that was a field is hidden in later text, too.
    expect(redactor.text("token zyxwvuts")).toBe("token ***");
    expect(redactor.body("x".repeat(2_000)).length).toBeLessThan(700);
  });
});
