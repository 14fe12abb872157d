// Reels and stories of the simulated Facebook: uploads that it fetches from a URL, photos as stories, and the list of stories.
// https://developers.facebook.com/documentation/video-api/guides/reels-publishing and
// https://developers.facebook.com/docs/page-stories-api, read 2026-11-28.
import type { NetworkContext } from "./context.ts";
import type { PathParams } from "./endpoints.ts";
import { describeState, failVideo } from "./facebook-videos.ts";
import { graphError } from "./meta-protocol.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readBearerToken,
  readFields,
} from "./network.ts";

type Edge = "video_reels" | "video_stories";

interface HostedVideo {
  id: string;
  page: string;
  edge: Edge;
  media: PublishedItem["media"][number] | null;
  finishedAt: number | null;
  reads: number;
  /** The error code of failed processing. */
  error: number | null;
  /** The id of its post. */
  postId: string | null;
}

interface Story {
  /** The id of its post. */
  id: string;
  mediaId: string;
  type: "photo" | "video";
}

const USED = "A photo or video uploaded for a story can not have been used in a previously published post";

export function createReels(context: NetworkContext, published: PublishedItem[]) {
  const videos = context.map<HostedVideo>("reels");
  const stories = context.list<Story>("stories");

  const start =
    (edge: Edge) =>
    (page: NetworkAccount, { baseUrl }: NetworkRequest): NetworkResponse => {
      const id = context.nextId("10");
      videos.set(id, {
        id,
        page: page.externalId,
        edge,
        media: null,
        finishedAt: null,
        reads: 0,
        error: null,
        postId: null,
      });
      return { status: 200, body: { video_id: id, upload_url: `${baseUrl}/video-upload/v24.0/${id}` } };
    };

  /** The host of uploads has errors of its own, and a token in another form. */
  async function upload(
    page: NetworkAccount,
    request: NetworkRequest,
    { id = "" }: PathParams,
  ): Promise<NetworkResponse> {
    const refuse = (type: string) => ({ status: 400, body: { debug_info: { retriable: false, type, message: type } } });
    const video = videos.get(id);
    if (!/^OAuth /.test(request.headers.get("authorization") ?? "")) return refuse("NotAuthorizedError");
    if (video?.page !== page.externalId || !readBearerToken(request)) return refuse("NotAuthorizedError");
    const url = request.headers.get("file_url");
    if (!url) return refuse("OffsetInvalidError");
    const file = await context.fetchMedia(url, "video");
    if (!file.ok) return refuse("ProcessingFailedError");
    video.media = { url, type: file.type, bytes: file.bytes };
    return { status: 200, body: { success: true } };
  }

  const finish =
    (edge: Edge) =>
    (page: NetworkAccount, request: NetworkRequest): NetworkResponse => {
      const { video_id: id = "", video_state: state, description, title } = readFields(request);
      const video = videos.get(id);
      if (video?.page !== page.externalId || video.edge !== edge) return graphError(400, 100, null, "Invalid video_id");
      if (edge === "video_reels" && state !== "PUBLISHED") return graphError(400, 100, null, "Invalid video_state");
      if (!video.media) return graphError(400, 6000, 1363024, "There was a problem uploading your video file.");
      if (video.postId) return graphError(400, 100, null, USED);
      video.finishedAt = context.now();
      const isReel = edge === "video_reels";
      const own = { caption: (isReel && description) || "", ...(isReel && title ? { title } : {}) };
      const item = publish(page, isReel ? "reel" : "story", video.media, own, isReel ? id : context.nextId("12"));
      video.postId = item.id;
      if (isReel) return { status: 200, body: { success: true } };
      stories.push({ id: item.id, mediaId: id, type: "video" });
      return { status: 200, body: { success: true, post_id: item.id } };
    };

  function publish(
    page: NetworkAccount,
    kind: string,
    media: PublishedItem["media"][number],
    own: { caption: string; title?: string },
    id: string,
  ): PublishedItem {
    const { externalId: account } = page;
    const path = kind === "reel" ? `reel/${id}/` : `stories/${account}/${Buffer.from(id).toString("base64url")}/`;
    const url = `https://www.facebook.com/${path}`;
    const item = {
      id,
      account,
      kind,
      ...own,
      media: [media],
      settings: {},
      at: new Date(context.now()).toISOString(),
      url,
    };
    published.push(item);
    return item;
  }

  /** A photo is used once. */
  function publishPhoto(
    page: NetworkAccount,
    photo: { id: string; media: PublishedItem["media"][number] } | null,
    isUsed: boolean,
  ): NetworkResponse {
    if (!photo) return graphError(400, 100, null, "Param photo_id must be a valid photo");
    if (isUsed || stories.some(({ mediaId }) => mediaId === photo.id)) return graphError(400, 100, null, USED);
    const item = publish(page, "story", photo.media, { caption: "" }, context.nextId("12"));
    stories.push({ id: item.id, mediaId: photo.id, type: "photo" });
    return { status: 200, body: { success: true, post_id: item.id } };
  }

  function list(page: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const seconds = (name: string, otherwise: number) => Number(request.query.get(name) ?? otherwise) * 1000;
    const [since, until] = [seconds("since", 0), seconds("until", 9e9)];
    const limit = Math.min(Number(request.query.get("limit") ?? 25), 100);
    const rows = stories
      .flatMap(({ id, mediaId, type }) => published.flatMap((item) => (item.id === id ? { item, mediaId, type } : [])))
      .filter(({ item }) => item.account === page.externalId)
      .filter(({ item }) => Date.parse(item.at) >= since && Date.parse(item.at) <= until)
      .filter(({ item }) => context.now() >= Date.parse(item.at) + context.timing.publicIdDelayMs)
      .toReversed();
    // In lower case, although the guide has capitals: https://github.com/gitroomhq/postiz-app/issues/1920.
    const data = rows.slice(0, limit).map(({ item, mediaId, type }) => ({
      ...{ post_id: item.id, status: "published", creation_time: String(Math.floor(Date.parse(item.at) / 1000)) },
      ...{ media_type: type, media_id: mediaId, url: item.url },
    }));
    const next = rows.length > limit ? { next: `${request.baseUrl}${request.path}?after=more` } : {};
    return { status: 200, body: { data, paging: next } };
  }

  /** Null for a video of another kind of upload. */
  function read(page: NetworkAccount, id: string): NetworkResponse | null {
    const video = videos.get(id);
    return video?.page === page.externalId ? { status: 200, body: { id, ...getState(video) } } : null;
  }

  function getState(video: HostedVideo) {
    const uploading_phase = video.media
      ? { status: "complete", bytes_transfered: video.media.bytes }
      : { status: "not_started", bytes_transfered: 0 };
    // As in the example of the guide, which has it before a video is published too.
    const own = { publish_status: "published" };
    return describeState(context, video, video.finishedAt, uploading_phase, `/reel/${video.id}/`, own);
  }

  function failProcessing(id: string, code: number): NetworkResponse | null {
    const video = videos.get(id);
    if (!video) return null;
    failVideo(video, published, video.postId ?? "", code);
    return { status: 200, body: { id, ...getState(video) } };
  }

  return { start, upload, finish, list, publishPhoto, read, failProcessing };
}
