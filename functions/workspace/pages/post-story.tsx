// The story of a post: who made and changed it, each step of each account in words, and what comes next.
import type { FC } from "hono/jsx";
import type { listAuditEntries } from "../../../lib/queries/audit.ts";
import type { findQueuedPost, QueuedDelivery } from "../../../lib/queries/queue.ts";
import { formatDistance, formatInstant, getPlatformName } from "../format.ts";
import { formatMessage } from "../messages.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { describeAction } from "./audit.tsx";

type Found = NonNullable<Awaited<ReturnType<typeof findQueuedPost>>>;
type Change = Awaited<ReturnType<typeof listAuditEntries>>[number];

interface Line {
  at: Date;
  who: string;
  delivery?: QueuedDelivery | undefined;
  text: string;
  /** The words of the network. */
  reason?: string | null;
}

interface StoryProps {
  found: Found;
  changes: Change[];
  timeZone: string;
  now: Date;
}

export const PostStory: FC<StoryProps> = ({ found, changes, timeZone, now }) => {
  const { deliveries, scheduledAt } = found.post;
  const next = deliveries.flatMap((delivery) => describeNext(delivery, scheduledAt, now) ?? []);
  const past = [...listChanges(found, changes), ...listSteps(found)];
  return (
    <section>
      <h2>What happened</h2>
      <ol class="trace story">
        {next.map((line) => (
          <StoryLine line={line} timeZone={timeZone} isNext />
        ))}
        {joinRepeated(past.toSorted((one, other) => other.at.getTime() - one.at.getTime())).map((line) => (
          <StoryLine line={line} timeZone={timeZone} />
        ))}
      </ol>
    </section>
  );
};

const StoryLine: FC<{ line: Line; timeZone: string; isNext?: boolean }> = ({ line, timeZone, isNext }) => {
  const { at, who, delivery, text, reason } = line;
  return (
    <li class={isNext ? "next" : undefined}>
      <time datetime={at.toISOString()}>{formatInstant(at, timeZone)}</time>
      <span>
        {delivery && <PlatformMark platform={delivery.platform} />} <strong>{who}</strong> {text}
        {reason && <span class="reason">{formatMessage(reason, timeZone)}</span>}
      </span>
    </li>
  );
};

const ACTOR_WORDS: Record<string, string> = { key: " (API key)", grant: " (app)", link: " (by a link)" };

/** A post that is older than the audit log has at least its beginning. */
function listChanges({ post }: Found, changes: Change[]): Line[] {
  const lines = changes.map(({ at, actorName, actorKind, action }) => ({
    at,
    who: `${actorName}${ACTOR_WORDS[actorKind] ?? ""}`,
    text: `${describeAction(action)}.`,
  }));
  const isMade = changes.some(({ action }) => action === "posts.create" || action === "posts.prepare");
  if (isMade) return lines;
  const who = post.metadata.source === "dashboard" ? "The dashboard" : "The API";
  return [...lines, { at: post.createdAt, who, text: "made the post." }];
}

function listSteps({ post, attempts }: Found): Line[] {
  const deliveries = new Map(post.deliveries.map((delivery) => [delivery.id, delivery]));
  return attempts.map(({ deliveryId, step, outcome, message, at }) => {
    const delivery = deliveries.get(deliveryId);
    return { at, who: toName(delivery), delivery, text: describeStep(step, outcome), reason: message };
  });
}

const toName = (delivery: QueuedDelivery | undefined) =>
  delivery ? `${getPlatformName(delivery.platform)} ${delivery.username}:` : "A former account:";

/** Joins equal lines of one person that follow each other: the composer saves while a person types. */
function joinRepeated(lines: Line[]): Line[] {
  const joined: (Line & { times: number })[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    if (last && !line.delivery && last.who === line.who && last.text === line.text) last.times += 1;
    else joined.push({ ...line, times: 1 });
  }
  return joined.map(({ times, ...line }) =>
    times > 1 ? { ...line, text: `${line.text.replace(/\.$/, "")} ${times} times.` } : line,
  );
}

/** Null for an account for which nothing is left to do. */
function describeNext(delivery: QueuedDelivery, scheduledAt: Date | null, now: Date): Line | null {
  const { nextAttemptAt, status, stage } = delivery;
  if (!nextAttemptAt) return null;
  // An upload begins before the post is due.
  const at = status === "scheduled" && scheduledAt && scheduledAt > nextAttemptAt ? scheduledAt : nextAttemptAt;
  const when = at > now ? formatDistance(at, now) : "now";
  const asksOnly = stage === "sent" || stage === "armed";
  const what = asksOnly
    ? "the network is asked again"
    : status === "scheduled"
      ? "it goes out"
      : "the next attempt is made";
  return { at, who: toName(delivery), delivery, text: `${what} ${when}.` };
}

const STEPS: Record<string, string> = {
  "prepare ready": "Everything is uploaded and prepared; it waits for its time.",
  "prepare processing": "The network is processing the upload ahead of time.",
  "prepare retry": "The preparation failed, and is tried again before the post is due.",
  "prepare postponed": "The preparation waits.",
  "start started": "The network has the content.",
  "arm armed": "Ready, the last call is being made.",
  "arm processing": "Waits until the account may publish again.",
  "publish posted": "Published.",
  "publish unknown": "The answer of the network was lost; it is asked whether the post is out.",
  "sent sent": "The network accepted the post.",
  "not sent started": "The last call did not reach the network, and is made again.",
  "rejected started": "The network rejected the last call.",
  "reconcile posted": "The network was asked: the post is out.",
  "reconcile unknown": "The network was asked, and could not say yet whether the post is out.",
  "reconcile failed": "The network never said whether the post is out.",
  "reconcile new": "The network was asked: nothing is out, so the post is sent again.",
  "reconcile started": "The network was asked: nothing is out, so the last call is made again.",
  "permalink pending": "Published, and its address is not known yet.",
  "permalink found": "Its address is known.",
  "permalink unavailable": "Published; the network did not name its address.",
  "deadline failed": "Its time ran out.",
  "open failed": "The account could not be used.",
  "open retry": "The account could not be used, and is tried again.",
  "unpublish unpublished": "The network removed the post.",
  "unpublish already_gone": "The network had no such post any more.",
  "unpublish refused": "The network did not remove the post.",
  "edit edited": "The network shows the new text.",
  "edit refused": "The network did not take the new text.",
  "refresh failed": "The network ended the connection of the account.",
};

const OUTCOMES: Record<string, string> = {
  posted: "Published.",
  processing: "The network is processing it.",
  postponed: "It goes on in a moment.",
  retry: "An attempt failed, and is made again.",
  unknown: "It is not certain whether the post is out; the network is asked.",
  failed: "It failed.",
};

function describeStep(step: string, outcome: string): string {
  return STEPS[`${step} ${outcome}`] ?? OUTCOMES[outcome] ?? "A step was done.";
}
