// Who may change a pack.
import { type Refusal, refuse } from "../errors.ts";

/** Throws unless the pack, which is readable, belongs to the key's scope. */
export function requireOwn(pack: { mine: boolean } | null): void {
  if (!pack) throw noPack();
  if (pack.mine) return;
  throw refuse("forbidden_pack", "This pack is public but belongs to another account: it can be read, not changed.");
}

export function noPack(): Refusal {
  return refuse("not_found", "No pack with this id is visible to the key.");
}
