// A published post and its parts, as the calls after its publication need them.

/** A published post as the network knows it; a field that it did not tell is null. */
export interface PublishedPart {
  id: string | null;
  url: string | null;
}

/** A call after the one that published the post. */
export interface JobPart {
  kind: "reply" | "comment";
  /** From 1: its place among the calls that follow the post. */
  number: number;
  root: PublishedPart;
  /** The parent that it replies to: the part before, or the post. */
  parent: PublishedPart;
  /** The post and all parts that are out: none of them is what is looked for. */
  earlier: readonly PublishedPart[];
}

/** A post of this service that the network shows. */
export interface PublishedPost {
  /** The network's id of the post. */
  id: string;
  publishedAt: Date;
  /** The handle with which it was published. */
  handle: Readonly<Record<string, unknown>>;
}

/** `already_gone`: the network says that it has no such post. */
export type Removal = "unpublished" | "already_gone";

/** The fields of a published post to change; the job's content has them already. */
export interface PublishedEdit {
  caption?: string | undefined;
  title?: string | undefined;
}

/** The id and URL after an edit, where a network makes a new post of it. */
export interface Edited {
  id?: string;
  url?: string;
}
