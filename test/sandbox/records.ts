// A record of every noun that a path may name, made through the API of a scope.

import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { at } from "../../lib/shared/at.ts";
import { createLink } from "../connect/links.ts";
import { createProject } from "../editor/factories.ts";
import { createFolder, insertFiles, insertSlideshows } from "../folders/factories.ts";
import { createPack, insertImages } from "../packs/factories.ts";
import { inHours } from "../posts/post-requests.ts";
import { queryRows, type Tenant } from "../support/harness.ts";
import { createTemplate } from "../templates/factories.ts";
import { createTestWebhook } from "../webhooks/receiver.ts";

export interface Account {
  id: string;
  username: string;
}

/** By the noun of a path. */
export type Records = Record<string, string>;

export async function createRecords(tenant: Tenant, account: Account): Promise<Records> {
  const { api } = tenant;
  const create = async (path: string, body: unknown) => {
    const response = await api.post(path, body);
    expect([path, response.status < 300 && response.body.ok, response.body.message]).toEqual([
      path,
      true,
      expect.any(String),
    ]);
    return response.body.data;
  };
  const accounts = [{ id: account.id }];
  const post = await create("/posts", { caption: "Tea", accounts, scheduled_at: inHours(5) });
  const draft = await create("/posts/prepare", { caption: "Cake", accounts });
  const approval = await create(`/posts/${draft.id}/approvals`, {});
  const { target } = await create("/analytics/targets", { platform: "threads", identifier: account.username });
  const { refresh } = await create(`/analytics/targets/${target.id}/refresh`, {});
  const webhook = await createTestWebhook(tenant, { types: ["*"] });
  await create(`/webhooks/${webhook.id}/test`, {});
  const { deliveries } = (await api.get(`/webhooks/${webhook.id}/deliveries`)).body.data;
  const [file] = await insertFiles(tenant, 1, "upload");
  const upload = await create("/files", { contentType: "video/mp4", size: 1000 });
  const pack = await createPack(api);
  await insertImages(pack.id, 1);
  const [image] = await queryRows<{ id: string }>(sql`select id from pack_images where pack_id = ${pack.id}`);
  const [slideshow] = await insertSlideshows(tenant, [null]);
  const project = await createProject(api, [file ?? ""]);
  return {
    ...{
      account: account.id,
      post: post.id,
      draft: draft.id,
      approval: approval.id,
      target: target.id,
      refresh: refresh.id,
    },
    ...{ webhook: webhook.id, delivery: at<{ id: string }>(deliveries, 0).id, file: file ?? "", upload: upload.id },
    ...{ pack: pack.id, image: image?.id ?? "", slideshow: slideshow ?? "", project: project.project_id },
    ...{
      template: (await createTemplate(api)).id,
      folder: (await createFolder(tenant)).id,
      link: (await createLink(api)).id,
    },
  };
}
