// Who reads which network.
import type { Network } from "../identifier.ts";
import { instagram } from "./instagram.ts";
import type { Reader } from "./reader.ts";
import { tiktok } from "./tiktok.ts";
import { youtube } from "./youtube.ts";

export const readers: Record<Network, Reader> = { tiktok, instagram, youtube };
