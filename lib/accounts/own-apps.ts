// Apps at the networks that a customer brings: checks and stores their credentials.
import { v7 as newId } from "uuid";
import * as z from "zod";
import { connectors } from "../platforms/connectors.ts";
import { drivers } from "../platforms/index.ts";
import { selectScopes } from "../platforms/oauth-apps.ts";
import { findCurrentApp, saveNetworkApp } from "../queries/network-apps.ts";
import type { TenantIds } from "../queries/tenants.ts";
import type { Services } from "../services/context.ts";
import { sealAppSecret } from "../services/network-app.ts";
import { apiError } from "../shared/errors.ts";
import { PLATFORM_DETAILS, PLATFORMS, type Platform } from "../shared/platforms.ts";

/** The networks whose consent screen is asked for by an app with a client id; the others need none. */
export const APP_PLATFORMS: readonly Platform[] = PLATFORMS.filter(
  (platform) => drivers[platform].connectBy === "consent",
);

const SHOWN_END = 4;
/** Shorter secrets would be shown by their last characters. */
const MIN_SECRET = 12;
const PRINTABLE = /^[\x21-\x7E]+$/;

const OwnApp = z.object({
  platform: z.enum(APP_PLATFORMS, { error: `The network must be one of ${APP_PLATFORMS.join(", ")}.` }),
  clientId: z
    .string()
    .trim()
    .max(200, "The client id has at most 200 characters.")
    .regex(PRINTABLE, "The client id is missing, or has spaces. Copy it from the page of your app at the network."),
  /** Empty: the stored secret of the same client id stays. */
  clientSecret: z
    .string()
    .trim()
    .max(500, "The client secret has at most 500 characters.")
    .refine(
      (secret) => secret === "" || (secret.length >= MIN_SECRET && PRINTABLE.test(secret)),
      `The client secret has at least ${MIN_SECRET} characters and no spaces. Copy it from the page of your app.`,
    ),
  /** Separated by spaces or commas; empty: those that the connector names. */
  scopes: z
    .string()
    .max(1000, "The permissions have at most 1,000 characters.")
    .transform((text) => text.split(/[\s,]+/).filter(Boolean)),
  uploadsPerDay: z
    .string()
    .trim()
    .regex(/^([1-9]\d{0,5})?$/, "The uploads per day are a number from 1 to 999,999.")
    .transform((text) => (text === "" ? null : Number(text))),
});
export type OwnAppInput = Record<keyof z.input<typeof OwnApp>, string>;

type AppServices = Pick<Services, "db" | "env" | "clock">;

/** Stores the app, with which accounts of the network are connected from now on. Throws `invalid_request` for a bad value. */
export async function saveOwnApp(
  { db, env, clock }: Pick<AppServices, "db" | "clock"> & { env: Pick<AppServices["env"], "tokenKeys"> },
  tenant: TenantIds,
  input: OwnAppInput,
): Promise<Platform> {
  const parsed = OwnApp.safeParse(input);
  if (!parsed.success) throw apiError("validation_failed", parsed.error.issues[0]?.message ?? "Check the fields.");
  const { platform, clientId, clientSecret, scopes, uploadsPerDay } = parsed.data;
  const { name } = PLATFORM_DETAILS[platform];
  const { requiredScopes, scopes: usual } = connectors[platform];
  const asked = selectScopes(scopes.length > 0 ? scopes : undefined, usual);
  const missing = requiredScopes.find((scope) => !asked.includes(scope));
  if (missing) throw apiError("validation_failed", `The permissions need ${missing}, or nothing can be published.`);
  if (uploadsPerDay !== null && platform !== "youtube") {
    throw apiError("validation_failed", `${name} has no limit of uploads per day for an app. Leave it empty.`);
  }
  const secret = await sealOrKeep({ db, env }, tenant, { platform, clientId, clientSecret });
  const app = { id: newId(), platform, clientId, scopes: scopes.length > 0 ? scopes : null, uploadsPerDay };
  await saveNetworkApp(db, tenant, { ...app, ...secret }, clock());
  return platform;
}

async function sealOrKeep(
  { db, env }: { db: AppServices["db"]; env: Pick<AppServices["env"], "tokenKeys"> },
  tenant: TenantIds,
  { platform, clientId, clientSecret }: { platform: Platform; clientId: string; clientSecret: string },
): Promise<{ clientSecret: string; secretEnd: string }> {
  if (clientSecret !== "") {
    const name = { scopeId: tenant.workspaceId ?? tenant.ownerId, platform, clientId };
    return {
      clientSecret: await sealAppSecret(env, name, clientSecret),
      secretEnd: clientSecret.slice(-SHOWN_END),
    };
  }
  const current = await findCurrentApp(db, tenant, platform);
  if (current?.clientId === clientId) return { clientSecret: current.clientSecret, secretEnd: current.secretEnd };
  throw apiError(
    "validation_failed",
    "The client secret is missing. Copy it from the page of your app at the network.",
  );
}
