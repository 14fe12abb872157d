// The social networks: names and API base URLs.

/** The name of each network, and the documented host of its API. */
export const PLATFORM_DETAILS = {
  tiktok: { name: "TikTok", apiUrl: "https://open.tiktokapis.com" },
  instagram: { name: "Instagram", apiUrl: "https://graph.instagram.com" },
  youtube: { name: "YouTube", apiUrl: "https://www.googleapis.com" },
  twitter: { name: "X", apiUrl: "https://api.x.com" },
  pinterest: { name: "Pinterest", apiUrl: "https://api.pinterest.com" },
  threads: { name: "Threads", apiUrl: "https://graph.threads.net" },
  linkedin: { name: "LinkedIn", apiUrl: "https://api.linkedin.com" },
  facebook: { name: "Facebook", apiUrl: "https://graph.facebook.com" },
  bluesky: { name: "Bluesky", apiUrl: "https://bsky.social" },
} as const;

export type Platform = keyof typeof PLATFORM_DETAILS;
export const PLATFORMS = Object.keys(PLATFORM_DETAILS) as Platform[];

/** A network's API base URL and our app credentials. */
export interface NetworkConfig {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** Host of consent screens, if it is not the documented one. */
  consentUrl?: string;
  /** The permissions to ask for, if not those that the driver names. */
  scopes?: readonly string[];
  /** Facebook only: a configuration of Facebook Login for Business, which holds the permissions. */
  configId?: string;
  /** Attempts that the app may make at the network, over all customers; no limit when undefined. */
  attemptsPerMinute?: number | undefined;
  /** Bluesky only: the directory of did:plc identities, if it is not the public one. */
  directoryUrl?: string;
  /** LinkedIn only: the version of its API as YYYYMM, if it is not the default one. */
  apiVersion?: string;
  /** LinkedIn only: the app for pages, if it is another one: the product for pages must be the only one of its app. */
  pages?: Pick<NetworkConfig, "clientId" | "clientSecret" | "scopes">;
}
