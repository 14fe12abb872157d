// Ids of events: UUIDv7s that contain the number of the event in its scope, as event_id() of the database makes them.

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The number in an id: 12 bits after the version, then 30 bits after the variant. Null for what is no UUIDv7. */
export function readSequence(id: string): number | null {
  if (!VERSION_7.test(id)) return null;
  const hex = id.replaceAll("-", "");
  const high = Number.parseInt(hex.slice(13, 16), 16);
  const low = Number.parseInt(hex.slice(16, 24), 16) % 2 ** 30;
  return high * 2 ** 30 + low;
}

/** When the event was written. */
export function readEventTime(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
}
