// Rules of time zones that the runtime does not know yet: governments change their clocks sometimes days ahead, and the runtime
// gets the new rules of IANA some time after. They apply to everything that reads the clock of a zone in this isolate.
// Packages take the rules from Intl and cannot be given others, so Intl itself answers by them.

/** From an instant on, the zone has the offset. */
interface ZoneRule {
  zone: string;
  from: number;
  offset: string;
}

/** `Europe/Berlin 2027-01-01T00:00:00Z +01:00`, several separated by `;`. */
export const ZONE_RULES_FORM =
  /^(\s*[A-Za-z][\w/+-]*\s+\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z\s+[+-]\d{2}:\d{2}\s*(;|$))*$/;

let rules: ZoneRule[] = [];
let isInstalled = false;

/** Takes the place of rules that were given before. What an isolate has computed of a zone, packages may remember. */
export function setZoneRules(text: string): void {
  const given = text.split(";").map((rule) => rule.trim().split(/\s+/));
  rules = given
    .flatMap(([zone, from, offset]) =>
      zone && from && offset ? [{ zone: toRuntimeName(zone), from: Date.parse(from), offset }] : [],
    )
    .sort((a, b) => b.from - a.from);
  if (rules.length > 0 && !isInstalled) install();
}

type Formatter = Intl.DateTimeFormat;

/** Runtimes have one name for a zone and its links, often the older one: Europe/Kiev for Europe/Kyiv. */
export function toRuntimeName(zone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    // A zone that the runtime does not know has no clock to change.
    return zone;
  }
}

function install(): void {
  isInstalled = true;
  const { prototype } = Intl.DateTimeFormat;
  const { formatToParts } = prototype;
  const getFormat = Object.getOwnPropertyDescriptor(prototype, "format")?.get as () => Formatter["format"];
  Object.defineProperty(prototype, "formatToParts", {
    configurable: true,
    value(this: Formatter, date?: Date | number) {
      return formatToParts.call(chooseFormatter(this, date), date);
    },
  });
  Object.defineProperty(prototype, "format", {
    configurable: true,
    get(this: Formatter) {
      return (date?: Date | number) => getFormat.call(chooseFormatter(this, date))(date);
    },
  });
}

const fixedByOptions = new Map<string, Formatter>();

/** A formatter with the offset of the rule that is valid then; the given one without such a rule. */
function chooseFormatter(given: Formatter, date: Date | number = Date.now()): Formatter {
  const { locale, timeZone, hour12: _, ...options } = given.resolvedOptions();
  const rule = rules.find(({ zone, from }) => zone === timeZone && from <= Number(date));
  if (!rule) return given;
  const key = JSON.stringify([locale, rule.offset, options]);
  const fixed =
    fixedByOptions.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: rule.offset } as object);
  fixedByOptions.set(key, fixed);
  return fixed;
}
