// The apps that are registered with the fakes: what their products may ask for, and the state a network has put them in.
import type { Platform } from "../../../lib/shared/platforms.ts";

export interface FakeApp {
  id: string;
  secret: string;
  /** The scopes of its products, by network; every scope of a network that is not named. */
  scopes?: Partial<Record<Platform, readonly string[]>>;
  /** What a network has not given it yet, or has taken away: `permissions/find-denial.ts` has the errors. */
  states?: Partial<Record<Platform, "unaudited" | "trial" | "out_of_credits" | "over_cap">>;
}

/** The app of the local stack. At LinkedIn it has Share on LinkedIn and Sign In with LinkedIn, at TikTok no Display API. */
export const APP: FakeApp = {
  ...{ id: "local-client", secret: "local-secret" },
  scopes: {
    linkedin: ["openid", "profile", "email", "w_member_social"],
    tiktok: ["user.info.basic", "video.publish", "video.upload"],
  },
};

/** An app with LinkedIn's Community Management API, which must be its only product. */
export const PAGES_APP: FakeApp = {
  ...{ id: "local-pages-client", secret: "local-pages-secret" },
  scopes: {
    linkedin: [
      ...["r_basicprofile", "w_member_social", "w_organization_social", "r_organization_social"],
      ...["w_member_social_feed", "w_organization_social_feed", "r_organization_social_feed"],
      ...["rw_organization_admin", "r_organization_admin"],
    ],
  },
};

const OWN_PREFIX = "own-app-";

/** An app of a customer: any id of this form is registered, unless a test registers it with other products. */
export const toOwnApp = (name: string): FakeApp => ({
  id: `${OWN_PREFIX}${name}`,
  secret: `secret-of-${OWN_PREFIX}${name}`,
});

export type Apps = ReturnType<typeof createApps>;

export function createApps() {
  const apps = new Map([APP, PAGES_APP].map((app) => [app.id, app]));
  return {
    register: (app: FakeApp) => void apps.set(app.id, app),
    find(id: string | null): FakeApp | null {
      const own = id?.startsWith(OWN_PREFIX) ? toOwnApp(id.slice(OWN_PREFIX.length)) : null;
      return apps.get(id ?? "") ?? own;
    },
  };
}
