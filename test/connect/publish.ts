// Posts to connected accounts, published until every delivery has ended.
import { sql } from "drizzle-orm";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { createTestPublisher, queryRows, type Tenant } from "../support/harness.ts";

/** `url`: a video; without it, the post is text only. */
export async function createPost(
  tenant: Tenant,
  accountIds: string[],
  { caption = "hello", url, scheduledAt }: { caption?: string; url?: string; scheduledAt?: Date } = {},
): Promise<string> {
  const { status, body } = await tenant.api.post("/posts", {
    caption,
    accounts: accountIds.map((id) => ({ id })),
    ...(url ? { media: { type: "video", url } } : {}),
    ...(scheduledAt ? { scheduled_at: scheduledAt.toISOString() } : {}),
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data.id as string;
}

interface State {
  platform: string;
  status: string;
  error_code: string;
  error_message: string;
  first_comment: { status: string; url: string | null; error_message: string | null } | null;
}

/** Runs a publisher at the time, until every delivery of the post has ended. */
export async function publish(tenant: Tenant, postId: string, at: Date) {
  const { services, advance } = createTestPublisher(at);
  for (let turn = 0; turn < 20; turn++) {
    const rows = await queryRows<{ id: string; next: string | null }>(
      sql`select id, next_attempt_at as next from post_deliveries where post_id = ${postId}`,
    );
    const open = rows.filter(({ next }) => next !== null);
    if (open.length === 0) break;
    await publishDue(
      services,
      open.map(({ id }) => id),
    );
    advance(10_000);
    // The fakes process media in real time.
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  const { body } = await tenant.api.get(`/posts/${postId}`);
  return body.data.accounts.states as State[];
}
