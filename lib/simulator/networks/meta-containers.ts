// The containers of Instagram and Threads: a post is built in one, whose media are fetched from public URLs.
import type { NetworkContext } from "./context.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readFields,
} from "./network.ts";

interface Container<Code> {
  id: string;
  account: string;
  fields: Record<string, string>;
  media: PublishedItem["media"];
  readyAt: number;
  createdAt: number;
  reads: number;
  /** Why its media is unusable. */
  error: Code | null;
  published: boolean;
}

type State = "EXPIRED" | "IN_PROGRESS" | "ERROR" | "FINISHED" | "PUBLISHED";

interface ContainerRules<Code> {
  idPrefix: string;
  lifetimeMs: number;
  imageTypes: readonly string[];
  maxChildren: number;
  /** Without it only the time counts for the children of a carousel. */
  areChildrenPolled: boolean;
  /** Images are read immediately and rejected; videos are read later, and their containers report these errors. */
  unfetchedVideo: Code;
  unsupportedVideo: Code;
  /** The subcodes of a carousel with a child of another account, or with one that is not ready. */
  foreignChild: number;
  unfinishedChild: number;
  isImage(fields: Record<string, string>): boolean;
  findFieldError(fields: Record<string, string>): NetworkResponse | null;
  subcodeError(subcode: number): NetworkResponse;
}

export function createContainers<Code>(context: NetworkContext, rules: ContainerRules<Code>) {
  const containers = context.map<Container<Code>>("containers");
  const isChild = ({ fields }: Container<Code>) => fields.is_carousel_item === "true";

  async function create({ externalId }: NetworkAccount, request: NetworkRequest): Promise<NetworkResponse> {
    const fields = readFields(request);
    const { media_type: type, is_carousel_item } = fields;
    // Videos, carousels and all their children are processed: https://github.com/exileum/meta-mcp/pull/4,
    // https://github.com/exileum/meta-mcp/issues/138 and /142, read 2026-11-24.
    const isImmediate = type === "TEXT" || (rules.isImage(fields) && is_carousel_item !== "true");
    const container: Container<Code> = {
      id: context.nextId(rules.idPrefix),
      account: externalId,
      fields,
      media: [],
      readyAt: isImmediate ? 0 : context.now() + context.timing.processingMs,
      createdAt: context.now(),
      reads: 0,
      error: null,
      published: false,
    };
    const fill = type === "TEXT" ? () => null : type === "CAROUSEL" ? fillCarousel : fetchMedia;
    const error = rules.findFieldError(fields) ?? (await fill(container));
    if (error) return error;
    containers.set(container.id, container);
    return { status: 200, body: { id: container.id } };
  }

  async function fetchMedia(container: Container<Code>): Promise<NetworkResponse | null> {
    const { image_url, video_url, alt_text, user_tags: tags } = container.fields;
    const isImage = rules.isImage(container.fields);
    const url = (isImage ? image_url : video_url) ?? "";
    const { ok, type, bytes } = await context.fetchMedia(url, isImage ? "image" : "video");
    container.media = [
      { url, type, bytes, ...(alt_text === undefined ? {} : { alt_text }), ...(tags ? { tags } : {}) },
    ];
    if (!isImage) {
      const isSupported = ["video/mp4", "video/quicktime"].includes(type);
      container.error = !ok ? rules.unfetchedVideo : isSupported ? null : rules.unsupportedVideo;
      return null;
    }
    if (!ok) return rules.subcodeError(2207052);
    if (!rules.imageTypes.includes(type)) return rules.subcodeError(2207005);
    return bytes > 8 * 1024 * 1024 ? rules.subcodeError(2207004) : null;
  }

  function fillCarousel(container: Container<Code>): NetworkResponse | null {
    const ids = (container.fields.children ?? "").split(",").filter(Boolean);
    const children = ids.flatMap((id) => containers.get(id) ?? []);
    if (ids.length < 2 || ids.length > rules.maxChildren) return rules.subcodeError(2207028);
    const own = children.filter(({ account }) => account === container.account);
    if (own.length < ids.length) return rules.subcodeError(rules.foreignChild);
    if (!own.every(isChild)) return rules.subcodeError(2207028);
    if (own.some((child) => getState(child) !== "FINISHED")) return rules.subcodeError(rules.unfinishedChild);
    container.media = own.flatMap(({ media }) => media);
    return null;
  }

  function getState(container: Container<Code>): State {
    const { readyAt, createdAt, reads } = container;
    if (container.published) return "PUBLISHED";
    if (context.now() - createdAt > rules.lifetimeMs) return "EXPIRED";
    if (context.now() < readyAt) return "IN_PROGRESS";
    const isPolled = rules.areChildrenPolled || !isChild(container);
    if (readyAt > 0 && isPolled && reads < context.timing.processingPolls) return "IN_PROGRESS";
    return container.error === null ? "FINISHED" : "ERROR";
  }

  return {
    create,
    getState,
    isChild,
    /** The container whose id the path ends with. */
    findByPath: ({ path }: NetworkRequest) => containers.get(path.split("/").at(-1) ?? ""),
    findOwn(account: NetworkAccount, id = "") {
      const container = containers.get(id);
      return container?.account === account.externalId ? container : undefined;
    },
  };
}
