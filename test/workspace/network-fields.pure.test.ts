// The composer's fields for a network are settings that posts accept, with values that they accept.
import { expect, test } from "vitest";
import { NETWORK_FIELDS } from "../../functions/workspace/compose/network-fields.ts";
import { getCapabilities } from "../../lib/platforms/capabilities.ts";

test.each(NETWORK_FIELDS)(
  "$provider: every field is a setting, and its options are allowed",
  ({ platform, fields }) => {
    const { properties } = getCapabilities(platform, "byo").settingsSchema as {
      properties: Record<string, { enum?: readonly string[] }>;
    };
    const unknown = fields.flatMap(({ name, options = [] }) => {
      const setting = properties[name];
      if (!setting) return [name];
      // An empty option sends no setting. Settings without an enumeration accept ids of the network.
      const values = options.map(([value]) => value).filter((value) => value !== "");
      return values.filter((value) => setting.enum?.includes(value) === false).map((value) => `${name}: ${value}`);
    });
    expect(unknown, "not in settingsSchema of lib/platforms").toEqual([]);
  },
);
