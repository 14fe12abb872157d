// The first post of each kind on every network, from the consent to the public URL: over HTTP, on fakes that reject every call
// whose permission was not granted.
import { expect, test } from "vitest";
import { DEFAULT_BOARD_ID } from "../../lib/simulator/networks/pinterest-boards.ts";
import { formatTable } from "../bench/format-table.ts";
import { type Customer, openCustomer, withCron } from "./customer.ts";
import { useDeployment } from "./deployment.ts";
import { createWorkspace, setApp } from "./operator.ts";
import { type Network, publishKinds, type Row, uploadMedia } from "./publish-kinds.ts";

const TEST_MS = 200_000;

const deployment = useDeployment("first-post");

const HANDLE = "first-post";
const PINTEREST = { pinterest: { board_id: DEFAULT_BOARD_ID } };

const NETWORKS: Network[] = [
  { name: "TikTok", offer: "tiktok", person: "first.tiktok" },
  { name: "Instagram", offer: "instagram", person: "first.instagram" },
  { name: "YouTube", offer: "youtube", person: "first.youtube" },
  { name: "X", offer: "twitter", person: "first_x" },
  { name: "Facebook", offer: "facebook", person: "first.facebook" },
  { name: "LinkedIn member", offer: "linkedin", person: "first.linkedin" },
  { name: "LinkedIn page", offer: "linkedin page", person: "27184591" },
  { name: "Pinterest", offer: "pinterest", person: "first.pinterest", settings: PINTEREST },
  { name: "Threads", offer: "threads", person: "first.threads" },
  { name: "Bluesky", offer: "bluesky", person: `did:plc:${HANDLE}`, identifier: `${HANDLE}.bsky.test` },
];

/** Permissions that a customer's app requests beyond the default. The person declines them, and all others that posts do without. */
const OPTIONAL: (Network & { scopes: string; declined: string[] })[] = [
  {
    ...{ name: "TikTok", offer: "tiktok", person: "less.tiktok" },
    scopes: "user.info.basic,video.publish,video.upload,video.list",
    declined: ["video.upload", "video.list"],
  },
  {
    ...{ name: "Instagram", offer: "instagram", person: "less.instagram" },
    scopes: "instagram_business_basic,instagram_business_content_publish,instagram_business_manage_insights",
    declined: ["instagram_business_manage_insights"],
  },
  {
    ...{ name: "Facebook", offer: "facebook", person: "less.facebook" },
    scopes: "pages_show_list,pages_read_engagement,pages_manage_posts,business_management,publish_video",
    declined: ["business_management", "publish_video"],
  },
];

const ALL = { connect: "yes", text: "yes", image: "yes", carousel: "yes", video: "yes" };
const NO_TEXT = { ...ALL, text: "-" };
const ONLY_VIDEO = { ...NO_TEXT, image: "-", carousel: "-" };

/** Publishes as the customer, and prints the table. */
async function fillTable(title: string, customer: Customer, networks: Network[]): Promise<Row[]> {
  const media = await uploadMedia(customer);
  const rows = await withCron(
    deployment,
    Promise.all(networks.map((network) => publishKinds(deployment, customer, media, network))),
  );
  process.stdout.write(`\n${formatTable({ title, rows: [...rows], broken: [] })}\n\n`);
  return rows;
}

test.concurrent(
  "every network is connected with the default permissions, and takes each kind of post that it has once",
  async () => {
    const { networks } = deployment.stack;
    networks.register({ platform: "bluesky", externalId: `did:plc:${HANDLE}`, username: HANDLE, accessToken: "none" });
    const title = "The first post with the default permissions";
    expect(await fillTable(title, openCustomer(deployment), NETWORKS)).toEqual([
      { network: "TikTok", ...NO_TEXT },
      { network: "Instagram", ...NO_TEXT },
      { network: "YouTube", ...ONLY_VIDEO },
      { network: "X", ...ALL },
      { network: "Facebook", ...ALL },
      { network: "LinkedIn member", ...ALL },
      { network: "LinkedIn page", ...ALL },
      { network: "Pinterest", ...NO_TEXT },
      { network: "Threads", ...ALL },
      { network: "Bluesky", ...ALL },
    ]);
  },
  TEST_MS,
);

test.concurrent(
  "people who decline what posts do without connect, and their posts are published",
  async () => {
    const workspace = await createWorkspace(deployment, "Cautious people");
    for (const { offer: platform, scopes } of OPTIONAL) {
      await setApp(deployment, workspace, { platform, name: "cautious", scopes });
    }
    const networks = OPTIONAL.map(({ scopes: _, ...network }) => network);
    expect(await fillTable("The first post without optional permissions", workspace.customer, networks)).toEqual([
      { network: "TikTok", ...NO_TEXT },
      { network: "Instagram", ...NO_TEXT },
      { network: "Facebook", ...ALL },
    ]);
  },
  TEST_MS,
);
