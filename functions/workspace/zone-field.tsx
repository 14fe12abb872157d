// The choice of a time zone in a form.
import type { FC } from "hono/jsx";

export const ZoneField: FC<{ label: string; value: string; disabled?: boolean; hint?: string }> = ({
  label,
  value,
  disabled,
  hint,
}) => {
  const zones = new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), value]);
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
