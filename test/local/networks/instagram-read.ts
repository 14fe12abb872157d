// The reading half of Instagram's stand-in: an account's media, their insights, and what has none.
import { createReadQuota, digits, type LibraryPost, libraryOf, type Named } from "./library.ts";
import { graphFault, graphTime, missingObject } from "./meta-wire.ts";
import type { Answer, Incoming, NetworkAccount, PublishedItem } from "./network.ts";

const NAMED: Named = {
  id: (seed) => `180${digits(seed, 14)}`,
  url: (id) => `https://www.instagram.com/p/${Buffer.from(id).toString("base64url")}/`,
  kinds: ["video", "video", "image", "carousel"],
};

const MEDIA_TYPES = { video: "VIDEO", image: "IMAGE", carousel: "CAROUSEL_ALBUM" } as const;

/** Fact of an account: `unmeasured`, how many of its oldest media were posted before it became a professional one. */
export function instagramReading(published: PublishedItem[]) {
  const spent = createReadQuota();

  function shelf(account: NetworkAccount): { posts: LibraryPost[]; unmeasured: Set<string> } {
    const feed = published.filter(({ kind }) => kind !== "STORIES");
    const posts = libraryOf(account, feed, NAMED);
    const count = Number(account.facts?.unmeasured ?? 0);
    return { posts, unmeasured: new Set(count > 0 ? posts.slice(-count).map(({ id }) => id) : []) };
  }

  function refused(account: NetworkAccount): Answer | null {
    if (account.facts?.noReading === true) {
      return graphFault(400, 10, null, "Application does not have permission for this action");
    }
    return spent(account) ? graphFault(400, 80002, null, "There have been too many calls from this account.") : null;
  }

  return {
    /** The edge `media`: cursors are opaque, and insights come with it when asked for. */
    list(account: NetworkAccount, { query, self, path }: Incoming): Answer {
      const no = refused(account);
      if (no) return no;
      const fields = (query.get("fields") ?? "id").split(/,(?![^(]*\))/);
      const limit = Math.min(Number(query.get("limit") ?? 25), 100);
      const { posts, unmeasured } = shelf(account);
      const after = query.get("after");
      const start = after === null ? 0 : posts.findIndex(({ id }) => cursorOf(id) === after) + 1;
      if (after !== null && start === 0) return graphFault(400, 100, null, "Invalid parameter: after");
      const page = posts.slice(start, start + limit);
      const metrics = /^insights\.metric\(([\w,]+)\)$/.exec(fields.find((field) => field.startsWith("insights")) ?? "");
      if (metrics && page.some(({ id }) => unmeasured.has(id))) return notMeasured();
      const data = page.map((post) => ({
        ...Object.fromEntries(fields.flatMap((field) => fieldOf(post, field))),
        ...(metrics ? { insights: { data: insightsOf(post, metrics[1] ?? "") } } : {}),
        id: post.id,
      }));
      const last = page.at(-1);
      if (!last) return { status: 200, body: { data: [], paging: {} } };
      const cursors = { before: cursorOf(page[0]?.id ?? ""), after: cursorOf(last.id) };
      const more = start + page.length < posts.length;
      const next = more ? { next: `${self}${path}?limit=${limit}&after=${cursors.after}` } : {};
      return { status: 200, body: { data, paging: { cursors, ...next } } };
    },

    insights(account: NetworkAccount, id: string, { query, method }: Incoming): Answer {
      const no = refused(account);
      if (no) return no;
      const { posts, unmeasured } = shelf(account);
      const post = posts.find((one) => one.id === id);
      if (!post) return missingObject(id, method);
      return unmeasured.has(id)
        ? notMeasured()
        : { status: 200, body: { data: insightsOf(post, query.get("metric") ?? "") } };
    },
  };
}

function cursorOf(id: string): string {
  return Buffer.from(`after ${id}`).toString("base64url");
}

function fieldOf({ id, kind, at, caption, url, metrics }: LibraryPost, field: string): [string, unknown][] {
  const whole: Record<string, unknown> = {
    caption,
    media_type: MEDIA_TYPES[kind],
    permalink: url,
    timestamp: graphTime(at.toISOString()),
    media_url: `https://scontent.cdninstagram.com/${id}`,
    ...(kind === "video" ? { thumbnail_url: `https://scontent.cdninstagram.com/${id}.jpg` } : {}),
    like_count: metrics.likes,
    comments_count: metrics.comments,
  };
  return field in whole ? [[field, whole[field]]] : [];
}

function insightsOf({ metrics }: LibraryPost, names: string) {
  const values: Record<string, number> = { ...metrics, saved: metrics.saves };
  return names.split(",").flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [{ name, period: "lifetime", values: [{ value }] }];
  });
}

function notMeasured(): Answer {
  return graphFault(400, 100, 2108006, "Invalid parameter", {
    error_user_title: "Media posted before business account conversion",
  });
}
