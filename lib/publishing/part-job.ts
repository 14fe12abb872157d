// The job of one call of a delivery: the post itself, a reply of its thread, or the first comment.
import type { Content, Job } from "../platforms/platform.ts";
import type { PublishedPart } from "../platforms/published-post.ts";
import { type Delivery, getCurrentPart } from "./delivery-events.ts";

type Part = Pick<Delivery, "phase" | "part" | "parts" | "platformPostId" | "publishedUrl">;

/** Of the post itself the job is as it was built: also when its permalink is looked up once its parts are out. */
export function toPartJob(job: Job, delivery: Part): Job {
  const current = getCurrentPart(delivery);
  if (!current || delivery.phase === "permalink") return job;
  const root: PublishedPart = { id: delivery.platformPostId, url: delivery.publishedUrl };
  const replies = (delivery.parts ?? []).slice(0, delivery.part - 1).map(({ id, url }): PublishedPart => ({ id, url }));
  const earlier = [root, ...replies];
  return {
    ...job,
    content: selectPartContent(job.content, delivery.part, current.kind),
    part: {
      kind: current.kind,
      number: delivery.part,
      root,
      // The first comment is below the post, whatever replies it has.
      parent: current.kind === "reply" ? (earlier.at(-1) ?? root) : root,
      earlier,
    },
  };
}

/** Settings are those of the post: a driver knows which of them a reply has. */
function selectPartContent(content: Content, number: number, kind: "reply" | "comment"): Content {
  // The link of the post is its own; that there is to be no card holds for every part.
  const link = content.link?.url ? null : (content.link ?? null);
  const own = { ...content, link, cover: null, thread: null, firstComment: null };
  if (kind === "comment") return { ...own, caption: content.firstComment ?? "", media: null };
  return { ...own, ...content.thread?.[number - 1] };
}
