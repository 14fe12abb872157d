// Damages a valid JSON value at random places.
import { pickHostileContainer, pickHostileValue } from "./hostile-values.ts";
import { JsonEntries, MAX_BODY_LENGTH } from "./json.ts";
import type { Random } from "./random.ts";

type Container = Record<string, unknown> | unknown[];
interface Place {
  parent: Container;
  key: string | number;
}

/** Changes the value in place and returns it; the root itself is sometimes replaced. */
export function mutate(random: Random, value: unknown): unknown {
  if (random.chance(0.03)) return pickHostileValue(random);
  let result = value;
  const count = random.pickWeighted({ one: 6, two: 2, five: 1 });
  for (let at = 0; at < { one: 1, two: 2, five: 5 }[count]; at++) result = mutateOnce(random, result);
  return result;
}

function mutateOnce(random: Random, root: unknown): unknown {
  const places = listPlaces(root);
  if (places.length === 0) return pickHostileValue(random);
  const { parent, key } = random.pick(places);
  const at = key as never;
  const current = parent[at] as unknown;
  switch (
    random.pickWeighted({
      replace: 12,
      remove: 3,
      addKey: 3,
      repeat: 2,
      wrap: 2,
      addItems: 2,
      duplicate: 1,
      container: 2,
    })
  ) {
    case "replace":
      setValue(parent, key, pickHostileValue(random));
      return root;
    case "container":
      setValue(parent, key, pickHostileContainer(random));
      return root;
    case "remove":
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete parent[key];
      return root;
    case "addKey":
      if (isObject(current))
        current[random.pick(["extra", "__proto__x", "id", "", "\u0000", "scope", "owner_id"])] =
          pickHostileValue(random);
      else setValue(parent, `${key}x`, pickHostileValue(random));
      return root;
    case "repeat":
      setValue(
        parent,
        key,
        typeof current === "string" ? repeatText(current, random.pick([2, 100, 500])) : [current, current],
      );
      return root;
    case "wrap":
      setValue(parent, key, random.chance(0.5) ? [current] : { value: current });
      return root;
    case "addItems":
      if (Array.isArray(current) && current.length > 0) {
        setValue(parent, key, Array(random.pick([2, 11, 36, 51, 201, 2_000])).fill(current[0]));
      }
      return root;
    case "duplicate":
      return isObject(root) ? duplicateKey(random, root) : root;
  }
}

/** Texts that were repeated before are cut: a string has a maximum length. */
function repeatText(text: string, times: number): string {
  return text.slice(0, Math.ceil(MAX_BODY_LENGTH / times)).repeat(times);
}

function duplicateKey(random: Random, root: Record<string, unknown>): JsonEntries {
  const entries = Object.entries(root);
  return new JsonEntries([...entries, [entries[0]?.[0] ?? "id", pickHostileValue(random)]]);
}

/** Every key and index below the value. */
function listPlaces(value: unknown): Place[] {
  if (Array.isArray(value)) {
    const shown = value.slice(0, 20);
    return shown.flatMap((item, key) => [{ parent: value, key }, ...listPlaces(item)]);
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => [{ parent: value, key }, ...listPlaces(item)]);
}

function setValue(parent: Container, key: string | number, value: unknown): void {
  if (Array.isArray(parent)) parent[Number.isInteger(Number(key)) ? Number(key) : parent.length] = value;
  else parent[key] = value;
}

/** A plain object, not one that is written in a way of its own. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
