// The calls with which the readers of metrics extend a simulated network.
import type { Endpoint, PathParams } from "../endpoints.ts";
import type { NetworkAccount, NetworkRequest, NetworkResponse } from "../network.ts";
import type { HistoryPost, PostFormat } from "../post-history.ts";

/**
 * Further facts of an account: `retired`, the metrics that the network does not know any more; `textCounts`, counts are
 * sent as strings; `sparse`, empty lists and objects are left out.
 */
export interface AnalyticsFacts {
  retired?: string[];
  textCounts?: boolean;
  sparse?: boolean;
}

export interface AnalyticsRequest {
  account: NetworkAccount;
  facts: AnalyticsFacts;
  /** Newest first. */
  posts: HistoryPost[];
  request: NetworkRequest;
  /** In milliseconds. */
  now: number;
  /** A count as the account's facts have it sent. */
  toCount(value: number | undefined): number | string | undefined;
}

export interface AnalyticsEndpoint extends Pick<Endpoint, "route" | "takes"> {
  answer(context: AnalyticsRequest, params: PathParams): NetworkResponse;
}

export interface AnalyticsCalls {
  /** By the names of their calls. They are tried before those of publishing. */
  endpoints: Readonly<Record<string, AnalyticsEndpoint>>;
  format: PostFormat;
  /** A call of publishing whose answer to a token that has expired is the same. */
  sameToken: string;
  rateLimited(now: number): NetworkResponse;
}
