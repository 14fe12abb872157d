// The settings of each chosen network, and the content of single accounts.
import type { FC } from "hono/jsx";
import { getCapabilities } from "../../../lib/platforms/capabilities.ts";
import type { Platform } from "../../../lib/shared/platforms.ts";
import { getPlatformName } from "../format.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { NETWORK_FIELDS, type NetworkField, type NetworkFields } from "./network-fields.ts";
import { OwnContent, type OwnContentProps } from "./own-content.tsx";
import { TikTokSettings } from "./tiktok.tsx";

export const AccountDifferences: FC<OwnContentProps> = (own) => (
  <section id="differences" class="differences" aria-labelledby="differences-title" hidden>
    <h2 id="differences-title">What differs per account</h2>
    <TikTokSettings />
    {NETWORK_FIELDS.map((network) => (
      <NetworkSettings {...network} />
    ))}
    <OwnContent {...own} />
  </section>
);

const NetworkSettings: FC<NetworkFields> = ({ provider, platform, fields }) => (
  <fieldset class="card stack wide" data-for={platform} hidden>
    <legend class="visually-hidden">{getPlatformName(platform)}</legend>
    <h3 class="line">
      <PlatformMark platform={platform} /> {getPlatformName(platform)}
    </h3>
    {fields.map((field) => (
      <div class="stack wide" data-media={field.media} hidden={field.of !== undefined}>
        <Field provider={provider} platform={platform} {...field} />
      </div>
    ))}
  </fieldset>
);

type Properties = Record<string, { maxLength?: number } | undefined>;

const Field: FC<NetworkField & { provider: string; platform: Platform }> = ({ provider, platform, ...field }) => {
  const { name, label, kind, hint, placeholder, options = [], isOn, choices, of } = field;
  const id = `${provider}-${name}`;
  const { properties } = getCapabilities(platform, "byo").settingsSchema as { properties: Properties };
  const maxLength = kind === "text" ? properties[name]?.maxLength : undefined;
  const own = {
    id,
    "data-setting": `${provider}.${name}`,
    "data-kind": kind,
    "data-choices": choices,
    "data-of": of && `${provider}-${of}`,
    "aria-describedby": hint ? `${id}-hint` : undefined,
  };
  if (kind === "flag" || kind === "answer") {
    return (
      <label class="check">
        <input type="checkbox" {...own} checked={isOn} data-start={isOn ? "on" : undefined} /> {label}
      </label>
    );
  }
  if (kind === "picture") return <Picture id={id} label={label} own={own} />;
  return (
    <>
      <label for={id}>{label}</label>
      {kind === "choice" ? (
        <select {...own}>
          {options.map(([value, text]) => (
            <option value={value}>{text}</option>
          ))}
        </select>
      ) : kind === "long" ? (
        <textarea {...own} rows={3} placeholder={placeholder} />
      ) : (
        <input {...own} type={kind === "url" ? "url" : "text"} maxlength={maxLength} placeholder={placeholder} />
      )}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </>
  );
};

/** The script uploads the file and keeps its URL in the hidden field. */
const Picture: FC<{ id: string; label: string; own: Record<string, string | undefined> }> = ({ id, label, own }) => (
  <>
    <label for={`${id}-file`}>{label}</label>
    <input {...own} type="hidden" />
    <div class="row picture">
      <img alt="" hidden />
      <input id={`${id}-file`} type="file" accept="image/jpeg,image/png" data-picture={id} />
      <button type="button" class="quiet" hidden>
        Remove<span class="visually-hidden"> the {label.toLowerCase()}</span>
      </button>
      <progress max={1} value={0} aria-label={`Upload of the ${label.toLowerCase()}`} hidden />
    </div>
  </>
);
