// Simulates Bluesky: sessions, blobs, the video service, and a repository of post records by key.
import { createHash } from "node:crypto";
import { DAY_SECONDS, HOUR_MS } from "../../shared/durations.ts";
import {
  type Blob,
  COLLECTION,
  createCid,
  createDidDocument,
  createJwt,
  errorResponse,
  findAlt,
  findRecordError,
  findThreadgateError,
  listBlobLinks,
  namedError,
  rateLimitError,
  SERVER,
  toCid,
} from "./bluesky-protocol.ts";
import { createVideos, JOB_FAILURES } from "./bluesky-videos.ts";
import type { NetworkContext } from "./context.ts";
import { createSignedIn, routeCalls } from "./endpoints.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readBearerToken,
  readJsonObject,
  removePublished,
  type SimulatedNetwork,
} from "./network.ts";
import { createTokenStore } from "./token-store.ts";

/** The revision of a repository, an identifier by time. */
const COMMIT_REVISION = "3jzfcijpj2z2a";
const PROTOCOL = "/xrpc/com.atproto";
const VIDEO = "/xrpc/app.bsky.video";
const SESSION_SECONDS = 7_200;

export function simulateBluesky(context: NetworkContext): SimulatedNetwork {
  const tokens = createTokenStore(context);
  const byDid = context.map<NetworkAccount>("accounts");
  const serviceTokens = context.map<{ account: NetworkAccount; expires: number }>("service tokens");
  /** Blobs belong to a repository, even when their bytes are equal. */
  const blobs = context.map<Blob>("blobs");
  const toBlobKey = (did: string, link: string) => `${did}/${link}`;
  const published = context.list<PublishedItem>("published");
  const videos = createVideos(context, { storeFile, buildBlobRef, findServiceAccount });

  const signedIn = createSignedIn((request) => {
    const account = tokens.findByAccessToken(readBearerToken(request));
    return account && !account.expired ? account : namedError(account ? "ExpiredToken" : "InvalidToken");
  });
  const withServiceToken = createSignedIn(
    (request) => findServiceAccount(request) ?? errorResponse(401, "AuthenticationRequired", "Invalid service token"),
  );

  function register(account: NetworkAccount) {
    byDid.set(account.externalId, account);
    tokens.register(account);
  }

  function createSessionResponse(account: NetworkAccount): NetworkResponse {
    const accessToken = createJwt(context.now(), account.externalId, "com.atproto.access", SESSION_SECONDS);
    const refreshToken = createJwt(context.now(), account.externalId, "com.atproto.refresh", 90 * DAY_SECONDS);
    register({ ...account, accessToken, refreshToken, expired: false });
    return { status: 200, body: { ...describeAccount(account), accessJwt: accessToken, refreshJwt: refreshToken } };
  }

  function describeAccount(account: NetworkAccount) {
    const { externalId: did, username = "account" } = account;
    const handle = username.includes(".") ? username : `${username.replaceAll(/[^a-z0-9]+/gi, "-")}.bsky.test`;
    return { did, handle, didDoc: createDidDocument(account), emailConfirmed: true, ...describeStatus(account) };
  }

  function getSession(account: NetworkAccount): NetworkResponse {
    return { status: 200, body: describeAccount(account) };
  }

  function describeStatus({ facts }: NetworkAccount) {
    return typeof facts?.status === "string" ? { active: false, status: facts.status } : { active: true };
  }

  function describeServer(): NetworkResponse {
    return { status: 200, body: { did: `did:web:${SERVER}`, availableUserDomains: [".bsky.test"] } };
  }

  function createSession(request: NetworkRequest): NetworkResponse {
    const { identifier, password } = readJsonObject(request);
    const account = byDid.get(String(identifier));
    if (!account || account.facts?.appPassword !== password) {
      return errorResponse(401, "AuthenticationRequired", "Invalid identifier or password");
    }
    return createSessionResponse(account);
  }

  function refreshSession(request: NetworkRequest): NetworkResponse {
    const oldToken = readBearerToken(request) ?? "";
    const account = tokens.findByRefreshToken(oldToken);
    if (!account) return errorResponse(400, "ExpiredToken", "Token has been revoked");
    tokens.revokeRefreshToken(oldToken);
    return createSessionResponse(account);
  }

  function getServiceAuth(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const { aud, lxm, exp } = Object.fromEntries(request.query);
    const expires = Number(exp ?? 0) * 1000;
    if (!aud?.startsWith("did:") || !lxm) return errorResponse(400, "InvalidRequest", "aud and lxm are required");
    if (expires > context.now() + HOUR_MS)
      return errorResponse(400, "BadExpiration", "expiration is too far in the future");
    const token = createJwt(context.now(), account.externalId, `${aud} ${lxm}`, 60);
    // The video service needs a token for the account's own server to write the blob there.
    if (aud === `did:web:${SERVER}` && lxm === "com.atproto.repo.uploadBlob") {
      serviceTokens.set(token, { account, expires });
    }
    return { status: 200, body: { token } };
  }

  function storeBlob(account: NetworkAccount, request: NetworkRequest): string | null {
    const length = Number(request.headers.get("content-length") ?? Number.NaN);
    if (length !== request.body.length || length === 0) return null;
    const sha256 = createHash("sha256").update(request.body).digest("hex");
    return storeFile(account, { sha256, bytes: length, type: request.headers.get("content-type") ?? "" });
  }

  function storeFile(account: NetworkAccount, file: Omit<Blob, "account">): string {
    const link = toCid("raw", Buffer.from(file.sha256, "hex"));
    blobs.set(toBlobKey(account.externalId, link), { account: account.externalId, ...file });
    return link;
  }

  function buildBlobRef(did: string, link: string) {
    const blob = blobs.get(toBlobKey(did, link));
    return { $type: "blob", ref: { $link: link }, mimeType: blob?.type, size: blob?.bytes };
  }

  function uploadBlob(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const link = storeBlob(account, request);
    return link
      ? { status: 200, body: { blob: buildBlobRef(account.externalId, link) } }
      : errorResponse(400, "InvalidRequest", "Content-Length does not match");
  }

  function findServiceAccount(request: NetworkRequest): NetworkAccount | null {
    const token = serviceTokens.get(readBearerToken(request) ?? "");
    return token && token.expires >= context.now() ? token.account : null;
  }

  /** One commit: a record that is not valid leaves nothing. */
  function applyWrites(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const { repo, writes } = readJsonObject(request);
    const [post, gate, ...more] = writes as { collection: string; rkey: string; value: Record<string, unknown> }[];
    if (!post || !gate || more.length > 0)
      return errorResponse(400, "InvalidRequest", "writes must be a post and its gate");
    const gateError = findThreadgateError(gate, `at://${account.externalId}/${COLLECTION}/${post.rkey}`);
    if (gateError) return gateError;
    const written = writePost(account, { repo, ...post, record: post.value });
    if (written.status !== 200) return written;
    const item = published.at(-1);
    if (item) item.settings.threadgate = gate.value.allow;
    const { commit, ...result } = written.body as { commit: object; uri: string };
    const type = "com.atproto.repo.applyWrites#createResult";
    const gateUri = result.uri.replace(COLLECTION, gate.collection);
    const results = [result, { ...result, uri: gateUri, cid: createCid(gateUri) }];
    return { status: 200, body: { commit, results: results.map((one) => ({ $type: type, ...one })) } };
  }

  function createRecord(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    return writePost(account, readJsonObject(request));
  }

  function writePost(account: NetworkAccount, write: Record<string, unknown>): NetworkResponse {
    const { repo, collection, rkey, record } = write;
    if (repo !== account.externalId || collection !== COLLECTION) {
      return errorResponse(400, "InvalidRequest", "repo or collection does not match");
    }
    const findBlob = (link: string) => blobs.get(toBlobKey(account.externalId, link));
    const value = record as Record<string, unknown>;
    const recordError = findRecordError(value, String(rkey), findBlob);
    if (recordError) return recordError;
    const uri = `at://${account.externalId}/${COLLECTION}/${rkey}`;
    // The real server also returns 500 when the key exists.
    if (published.some((item) => item.id === uri)) {
      return errorResponse(500, "InternalServerError", "Internal Server Error");
    }
    const limit = Number(account.facts?.pointsPerHour ?? 5_000);
    const used = 3 * published.filter((item) => item.account === account.externalId).length;
    if (used + 3 > limit) return rateLimitError(context.now(), limit);
    const { $type: _type, text, createdAt, embed, reply, ...settings } = value;
    const parent = findParent(reply);
    if (reply !== undefined && !parent) return errorResponse(400, "InvalidRequest", "Invalid reply reference");
    published.push({
      id: uri,
      account: account.externalId,
      kind: String((embed as Record<string, unknown> | undefined)?.$type ?? "text"),
      caption: String(text),
      media: listBlobLinks(embed as Record<string, unknown> | undefined).map((link) => {
        const { sha256, bytes, type } = findBlob(link) ?? { sha256: "", bytes: 0, type: "" };
        const alt = findAlt(embed as Record<string, unknown>, link);
        return { sha256, bytes, type, ...(alt ? { alt_text: alt } : {}) };
      }),
      settings: { ...settings, ...(embed ? { embed } : {}) },
      at: new Date(context.now()).toISOString(),
      url: `https://bsky.app/profile/${account.externalId}/post/${rkey}`,
      ...(parent ? { parent } : {}),
    });
    const cid = createCid(uri);
    return { status: 200, body: { uri, cid, commit: { cid, rev: String(rkey) }, validationStatus: "valid" } };
  }

  /** The address of the record that is answered, if both references are to records as they are. */
  function findParent(reply: unknown): string | undefined {
    const { root, parent } = (reply ?? {}) as Record<string, { uri?: string; cid?: string } | undefined>;
    const isRecord = (ref: typeof root) =>
      published.some(({ id }) => id === ref?.uri) && ref?.cid === createCid(ref?.uri ?? "");
    return isRecord(root) && isRecord(parent) ? parent?.uri : undefined;
  }

  function getRecord(request: NetworkRequest): NetworkResponse {
    const { repo, collection, rkey } = Object.fromEntries(request.query);
    if (!repo || !byDid.has(repo)) return namedError("RepoNotFound");
    const uri = `at://${repo}/${collection}/${rkey}`;
    const item = published.find(({ id }) => id === uri);
    if (!item) return errorResponse(400, "RecordNotFound", `Could not locate record: ${uri}`);
    const { settings, caption: text, at: createdAt } = item;
    const { threadgate: _gate, ...fields } = settings;
    const value = { $type: COLLECTION, text, createdAt, ...fields };
    return { status: 200, body: { uri, cid: createCid(uri), value } };
  }

  function resolveHandle(request: NetworkRequest): NetworkResponse {
    const handle = request.query.get("handle");
    const account = [...byDid.values()].find(
      (one) => one.username === handle || describeAccount(one).handle === handle,
    );
    return account
      ? { status: 200, body: { did: account.externalId } }
      : errorResponse(400, "HandleNotFound", "Unable to resolve handle");
  }

  function deleteRecord(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const { repo, collection, rkey } = readJsonObject(request);
    const uri = `at://${repo}/${collection}/${rkey}`;
    // The server answers a deletion that changes nothing without a commit.
    const isRemoved = removePublished(published, account, uri);
    return { status: 200, body: isRemoved ? { commit: { cid: createCid(uri), rev: COMMIT_REVISION } } : {} };
  }

  return {
    platform: "bluesky",
    ...routeCalls({
      describeServer: { route: `GET ${PROTOCOL}.server.describeServer`, answer: describeServer },
      createSession: { route: `POST ${PROTOCOL}.server.createSession`, answer: createSession },
      refreshSession: { route: `POST ${PROTOCOL}.server.refreshSession`, answer: refreshSession },
      getSession: { route: `GET ${PROTOCOL}.server.getSession`, answer: signedIn(getSession) },
      getServiceAuth: { route: `GET ${PROTOCOL}.server.getServiceAuth`, answer: signedIn(getServiceAuth) },
      resolveHandle: { route: `GET ${PROTOCOL}.identity.resolveHandle`, answer: resolveHandle },
      uploadBlob: { route: `POST ${PROTOCOL}.repo.uploadBlob`, answer: signedIn(uploadBlob) },
      createRecord: { route: `POST ${PROTOCOL}.repo.createRecord`, answer: signedIn(createRecord) },
      applyWrites: { route: `POST ${PROTOCOL}.repo.applyWrites`, answer: signedIn(applyWrites) },
      getRecord: { route: `GET ${PROTOCOL}.repo.getRecord`, answer: getRecord },
      deleteRecord: { route: `POST ${PROTOCOL}.repo.deleteRecord`, answer: signedIn(deleteRecord) },
      uploadVideo: { route: `POST ${VIDEO}.uploadVideo`, answer: videos.uploadVideo },
      startUpload: { route: `POST ${VIDEO}.startUpload`, answer: withServiceToken(videos.startUpload) },
      uploadPart: { route: `POST ${VIDEO}.uploadPart`, answer: withServiceToken(videos.uploadPart) },
      finishUpload: { route: `POST ${VIDEO}.finishUpload`, answer: withServiceToken(videos.finishUpload) },
      getJobStatus: { route: `GET ${VIDEO}.getJobStatus`, answer: videos.getJobStatus },
    }),
    published,
    register,
    disconnect(externalId) {
      byDid.delete(externalId);
      tokens.disconnect(externalId);
    },
    findAccount: tokens.findAccount,
    findCallForCode: (code) => (JOB_FAILURES.test(code) ? "getJobStatus" : null),

    failProcessing: (request) => videos.failJob(request, "validation_failure"),

    buildScriptedError(kind, code, request) {
      if (kind === "429") return rateLimitError(context.now(), 5_000);
      if (kind === "500") return errorResponse(500, "InternalServerError", "Internal Server Error");
      return videos.failJob(request, code ?? "") ?? namedError(code ?? "InvalidRecord");
    },
  };
}
