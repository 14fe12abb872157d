// The choice of a time zone in a form.
import type { FC } from "hono/jsx";

/**
 * The current names of zones of which runtimes list an older one alone, such as Asia/Calcutta: those of
 * https://data.iana.org/time-zones/tzdb/zone.tab (2025b, read 2026-11-30) that Intl.supportedValuesOf lacks. Some browsers report them.
 */
const CURRENT_NAMES = [
  ...["Africa/Asmara", "America/Argentina/Buenos_Aires", "America/Argentina/Catamarca", "America/Argentina/Cordoba"],
  ...["America/Argentina/Jujuy", "America/Argentina/Mendoza", "America/Atikokan", "America/Indiana/Indianapolis"],
  ...["America/Kentucky/Louisville", "America/Nuuk", "Asia/Ho_Chi_Minh", "Asia/Kathmandu", "Asia/Kolkata"],
  ...["Asia/Yangon", "Atlantic/Faroe", "Europe/Kyiv", "Pacific/Chuuk", "Pacific/Kanton", "Pacific/Pohnpei"],
];

export const ZoneField: FC<{ label: string; value: string; disabled?: boolean; hint?: string }> = ({
  label,
  value,
  disabled,
  hint,
}) => {
  const zones = new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), ...CURRENT_NAMES, value]);
  return (
    <label class="field">
      <span>{label}</span>
      <select name="time_zone" disabled={disabled} aria-describedby={hint}>
        {[...zones].sort().map((zone) => (
          <option value={zone} selected={zone === value}>
            {zone}
          </option>
        ))}
      </select>
    </label>
  );
};
