// A stand-in for Bluesky: sessions, blobs, the video service, and a repository of post records under their keys.
import { createHash } from "node:crypto";
import {
  type Blob,
  COLLECTION,
  didDocOf,
  fault,
  jwt,
  linksOf,
  recordFault,
  refusalOf,
  SERVER,
  tooMany,
} from "./bluesky-wire.ts";
import {
  type Answer,
  bearerOf,
  type Incoming,
  jsonOf,
  type Network,
  type NetworkAccount,
  nextId,
  type Pace,
  type PublishedItem,
} from "./network.ts";
import { createTokens } from "./tokens.ts";

const CALLS = [
  "createSession",
  "refreshSession",
  "getSession",
  "getServiceAuth",
  "resolveHandle",
  "uploadBlob",
  "uploadVideo",
  "getJobStatus",
  "createRecord",
  "getRecord",
] as const;

const SESSION_S = 7_200;
const HOUR_MS = 3_600_000;
const JOB_FAILURES = /^(validation_failure|encoding_failure|pds_upload_\w+|generic_failure)$/;

interface VideoJob {
  id: string;
  did: string;
  link: string;
  readyAt: number;
  reads: number;
  failure: string | null;
}

export function blueskyStandIn(pace: Pace): Network {
  const tokens = createTokens();
  const byDid = new Map<string, NetworkAccount>();
  const serviceTokens = new Map<string, { account: NetworkAccount; expires: number }>();
  /** Each repository holds its own, also of the same bytes. */
  const blobs = new Map<string, Blob>();
  const keyOf = (did: string, link: string) => `${did}/${link}`;
  const jobs = new Map<string, VideoJob>();
  const published: PublishedItem[] = [];

  function register(account: NetworkAccount) {
    byDid.set(account.externalId, account);
    tokens.register(account);
  }

  function session(account: NetworkAccount): Answer {
    const accessToken = jwt(account.externalId, "com.atproto.access", SESSION_S);
    const refreshToken = jwt(account.externalId, "com.atproto.refresh", 90 * 86_400);
    register({ ...account, accessToken, refreshToken, expired: false });
    return { status: 200, body: { ...described(account), accessJwt: accessToken, refreshJwt: refreshToken } };
  }

  function described(account: NetworkAccount) {
    const { externalId: did, username: handle } = account;
    return { did, handle, didDoc: didDocOf(account), emailConfirmed: true, active: true };
  }

  function createSession(request: Incoming): Answer {
    const { identifier, password } = jsonOf(request);
    const account = byDid.get(String(identifier));
    if (!account || account.facts?.appPassword !== password) {
      return fault(401, "AuthenticationRequired", "Invalid identifier or password");
    }
    return session(account);
  }

  function refreshSession(request: Incoming): Answer {
    const old = bearerOf(request) ?? "";
    const account = tokens.refreshing(old);
    if (!account) return fault(400, "ExpiredToken", "Token has been revoked");
    tokens.spend(old);
    return session(account);
  }

  function serviceAuth(account: NetworkAccount, request: Incoming): Answer {
    const { aud, lxm, exp } = Object.fromEntries(request.query);
    const expires = Number(exp ?? 0) * 1000;
    if (!aud?.startsWith("did:") || !lxm) return fault(400, "InvalidRequest", "aud and lxm are needed");
    if (expires > Date.now() + HOUR_MS) return fault(400, "BadExpiration", "expiration is too far in the future");
    const token = jwt(account.externalId, `${aud} ${lxm}`, 60);
    // Only a token for the account's own server lets the video service write there.
    if (aud === `did:web:${SERVER}` && lxm === "com.atproto.repo.uploadBlob") {
      serviceTokens.set(token, { account, expires });
    }
    return { status: 200, body: { token } };
  }

  function store(account: NetworkAccount, request: Incoming): string | null {
    const length = Number(request.headers.get("content-length") ?? Number.NaN);
    if (length !== request.body.length || length === 0) return null;
    const sha256 = createHash("sha256").update(request.body).digest("hex");
    const type = request.headers.get("content-type") ?? "";
    const link = `bafk${sha256}`;
    blobs.set(keyOf(account.externalId, link), { account: account.externalId, sha256, bytes: length, type });
    return link;
  }

  function blobRef(did: string, link: string) {
    const blob = blobs.get(keyOf(did, link));
    return { $type: "blob", ref: { $link: link }, mimeType: blob?.type, size: blob?.bytes };
  }

  function uploadBlob(account: NetworkAccount, request: Incoming): Answer {
    const link = store(account, request);
    return link
      ? { status: 200, body: { blob: blobRef(account.externalId, link) } }
      : fault(400, "InvalidRequest", "Content-Length does not fit");
  }

  function uploadVideo(request: Incoming): Answer {
    const token = serviceTokens.get(bearerOf(request) ?? "");
    const did = request.query.get("did");
    if (!token || token.expires < Date.now() || token.account.externalId !== did || !request.query.get("name")) {
      return fault(401, "AuthenticationRequired", "Invalid service token, did or name");
    }
    if (request.headers.get("content-type") !== "video/mp4") {
      return fault(400, "InvalidMimeType", "Only video/mp4 is supported");
    }
    const link = store(token.account, request);
    if (!link) return fault(400, "InvalidRequest", "Content-Length does not fit");
    const known = [...jobs.values()].find((job) => job.did === did && job.link === link && !job.failure);
    if (known) {
      const again = { did, jobId: known.id, state: "JOB_STATE_COMPLETED" };
      return { status: 409, body: { ...again, error: "already_exists", message: "Video already processed" } };
    }
    const limit = Number(token.account.facts?.videosPerDay ?? Number.POSITIVE_INFINITY);
    if (jobs.size >= limit) return refusalOf("upload_limit");
    const job: VideoJob = {
      id: nextId("job"),
      did,
      link,
      readyAt: Date.now() + pace.processingMs,
      reads: 0,
      failure: null,
    };
    jobs.set(job.id, job);
    return { status: 200, body: { did, jobId: job.id, state: "JOB_STATE_CREATED" } };
  }

  function jobStatus(request: Incoming): Answer {
    const job = jobs.get(request.query.get("jobId") ?? "");
    if (!job) return fault(400, "InvalidRequest", "Job not found");
    job.reads += 1;
    const { did } = job;
    const base = { jobId: job.id, did };
    if (job.failure) {
      const words = { error: job.failure, failureCode: job.failure, message: "The video could not be processed." };
      return { status: 200, body: { jobStatus: { ...base, state: "JOB_STATE_FAILED", ...words } } };
    }
    if (Date.now() < job.readyAt || job.reads <= pace.processingPolls) {
      return { status: 200, body: { jobStatus: { ...base, state: "JOB_STATE_ENCODING", progress: 40 } } };
    }
    return {
      status: 200,
      body: { jobStatus: { ...base, state: "JOB_STATE_COMPLETED", blob: blobRef(did, job.link) } },
    };
  }

  function createRecord(account: NetworkAccount, request: Incoming): Answer {
    const { repo, collection, rkey, record } = jsonOf(request);
    if (repo !== account.externalId || collection !== COLLECTION) {
      return fault(400, "InvalidRequest", "repo or collection does not fit");
    }
    const own = (link: string) => blobs.get(keyOf(account.externalId, link));
    const value = record as Record<string, unknown>;
    const wrong = recordFault(value, String(rkey), own);
    if (wrong) return wrong;
    const uri = `at://${account.externalId}/${COLLECTION}/${rkey}`;
    // The real server knows no better answer to a key that is taken.
    if (published.some((item) => item.id === uri)) {
      return fault(500, "InternalServerError", "Internal Server Error");
    }
    const limit = Number(account.facts?.pointsPerHour ?? 5_000);
    const used = 3 * published.filter((item) => item.account === account.externalId).length;
    if (used + 3 > limit) return tooMany(limit);
    const { $type: _type, text, createdAt, embed, ...settings } = value;
    published.push({
      id: uri,
      account: account.externalId,
      kind: String((embed as Record<string, unknown> | undefined)?.$type ?? "text"),
      caption: String(text),
      media: linksOf(embed as Record<string, unknown> | undefined).map((link) => {
        const { sha256, bytes, type } = own(link) ?? { sha256: "", bytes: 0, type: "" };
        return { sha256, bytes, type };
      }),
      settings: { ...settings, ...(embed ? { embed } : {}) },
      at: new Date().toISOString(),
      url: `https://bsky.app/profile/${account.externalId}/post/${rkey}`,
    });
    return { status: 200, body: { uri, cid: nextId("bafyrei"), validationStatus: "valid" } };
  }

  function getRecord(request: Incoming): Answer {
    const { repo, collection, rkey } = Object.fromEntries(request.query);
    if (!repo || !byDid.has(repo)) return refusalOf("RepoNotFound");
    const uri = `at://${repo}/${collection}/${rkey}`;
    const item = published.find((one) => one.id === uri);
    if (!item) return fault(400, "RecordNotFound", `Could not locate record: ${uri}`);
    return { status: 200, body: { uri, cid: nextId("bafyrei"), value: { $type: COLLECTION, text: item.caption } } };
  }

  function resolveHandle(request: Incoming): Answer {
    const handle = request.query.get("handle");
    const account = [...byDid.values()].find((one) => one.username === handle);
    return account
      ? { status: 200, body: { did: account.externalId } }
      : fault(400, "HandleNotFound", "Unable to resolve handle");
  }

  return {
    platform: "bluesky",
    calls: CALLS,
    published,
    register,
    accountOf: tokens.accountOf,
    callOfCode: (code) => (JOB_FAILURES.test(code) ? "getJobStatus" : null),

    callOf({ method, path }) {
      const name = /^\/xrpc\/(?:com\.atproto\.(?:server|repo|identity)|app\.bsky\.video)\.(\w+)$/.exec(path)?.[1];
      const call = CALLS.find((known) => known === name) ?? null;
      const reads = /^(get|resolve)/.test(call ?? "");
      return call && method === (reads ? "GET" : "POST") ? call : null;
    },

    async answer(call, request) {
      if (call === "createSession") return createSession(request);
      if (call === "refreshSession") return refreshSession(request);
      if (call === "resolveHandle") return resolveHandle(request);
      if (call === "uploadVideo") return uploadVideo(request);
      if (call === "getJobStatus") return jobStatus(request);
      if (call === "getRecord") return getRecord(request);
      const account = tokens.holder(bearerOf(request));
      if (!account) return refusalOf("InvalidToken");
      if (account.expired) return refusalOf("ExpiredToken");
      if (call === "getSession") return { status: 200, body: described(account) };
      if (call === "getServiceAuth") return serviceAuth(account, request);
      return call === "uploadBlob" ? uploadBlob(account, request) : createRecord(account, request);
    },

    refusal(kind, code, request) {
      if (kind === "429") return tooMany(5_000);
      if (kind === "500") return fault(500, "InternalServerError", "Internal Server Error");
      const job = jobs.get(request.query.get("jobId") ?? "");
      if (job && code && JOB_FAILURES.test(code)) {
        job.failure = code;
        return jobStatus(request);
      }
      return refusalOf(code ?? "InvalidRecord");
    },
  };
}
