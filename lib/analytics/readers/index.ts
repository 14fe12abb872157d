// The reader of each network.
import type { Network } from "../../schemas/analytics-handle.ts";
import { instagram } from "./instagram.ts";
import type { Reader } from "./reader-contract.ts";
import { tiktok } from "./tiktok.ts";
import { youtube } from "./youtube.ts";

export const readers: Record<Network, Reader> = { tiktok, instagram, youtube };
