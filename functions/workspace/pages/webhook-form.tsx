// The form of a webhook: where events are sent, and which.
import type { FC } from "hono/jsx";
import { EVERY_TYPE } from "../../../lib/shared/webhook-secret.ts";
import { EVENT_GROUPS, EVENT_WORDS, GROUP_WORDS, listTypes } from "./event-words.ts";

export interface WebhookFields {
  url: string;
  types: string[];
  description: string;
}

interface FormProps {
  action: string;
  fields: WebhookFields;
  children: string;
}

const MAX_URL = 2_000;
const MAX_DESCRIPTION = 500;

export const WebhookForm: FC<FormProps> = ({ action, fields: { url, types, description }, children }) => {
  const isEvery = types.includes(EVERY_TYPE);
  return (
    <form method="post" action={action} class="stack webhook">
      <label for="url">Address</label>
      <input
        id="url"
        name="url"
        type="url"
        required
        maxlength={MAX_URL}
        value={url}
        placeholder="https://example.com/webhooks"
        autocomplete="off"
      />
      <label for="description">What it is for (optional)</label>
      <input id="description" name="description" maxlength={MAX_DESCRIPTION} value={description} autocomplete="off" />
      <fieldset class="types">
        <legend>Events</legend>
        <label class="check">
          <input type="radio" name="scope" value="all" checked={isEvery} /> All, with types that are added later
        </label>
        <label class="check">
          <input type="radio" name="scope" value="some" checked={!isEvery} /> Only these
        </label>
        <div class="some">
          {EVENT_GROUPS.map((group) => (
            <fieldset>
              <legend>{GROUP_WORDS[group]}</legend>
              {listTypes(group).map((type) => (
                <label class="check">
                  <input type="checkbox" name="types" value={type} checked={types.includes(type)} />
                  <span>
                    {EVENT_WORDS[type]} <code>{type}</code>
                  </span>
                </label>
              ))}
            </fieldset>
          ))}
        </div>
      </fieldset>
      <button class="primary" type="submit">
        {children}
      </button>
    </form>
  );
};

/** The fields that the form sent, whatever they are: the operation checks them. */
export function readFields(form: Record<string, unknown>): WebhookFields {
  const readText = (name: string) => (typeof form[name] === "string" ? form[name].trim() : "");
  const chosen = [form.types ?? []].flat().filter((type) => typeof type === "string");
  return {
    url: readText("url"),
    types: form.scope === "all" ? [EVERY_TYPE] : chosen,
    description: readText("description"),
  };
}

/** The body of the operation that creates or changes a webhook. */
export function toBody({ url, types, description }: WebhookFields) {
  return { url, types, description: description || null };
}
