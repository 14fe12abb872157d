// What an account can choose from at its network.
import type { AccountOption } from "./rules.ts";

export interface Choice {
  id: string;
  name: string;
  privacy?: string;
}

export type Options = Partial<Record<AccountOption, Choice[]>>;
