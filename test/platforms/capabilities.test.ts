// Capabilities: the network's own limits, and what hosted accounts add to them.
import { describe, expect, test } from "vitest";
import { capabilitiesOf, describeCapabilities } from "../../lib/platforms/capabilities.ts";

describe("capabilities", () => {
  test("a hosted account never gets more than its network allows, nor more than the service allows", () => {
    for (const platform of ["tiktok", "instagram"] as const) {
      const own = capabilitiesOf(platform, "byo");
      const hosted = capabilitiesOf(platform, "hosted");
      if (!own || !hosted) throw new Error(`no capabilities for ${platform}`);
      expect(hosted.caption.limit).toBe(500);
      expect(hosted.videos).toMatchObject({ minSeconds: 15, maxSeconds: 60, maxBytes: 99_999_999 });
      expect(hosted.images.max).toBe(Math.min(own.images.max, 35));
      expect(hosted.images.maxBytes).toBeLessThan(5_000_000);
      expect(hosted.images.types.every((type) => own.images.types.includes(type))).toBe(true);
      expect(hosted.kinds).not.toContain("text_only");
      expect(own.caption.limit).toBe(2_200);
    }
  });

  test("every kind is either supported or has its reason", () => {
    for (const platform of ["tiktok", "instagram", "linkedin"] as const) {
      for (const type of ["byo", "hosted"] as const) {
        const described = describeCapabilities(platform, type);
        const named = [
          ...described.supported_content_kinds,
          ...Object.keys(described.unsupported_content_kind_reasons),
        ];
        expect(named.toSorted()).toEqual(["multi_image", "single_image", "single_video", "text_only"]);
      }
    }
  });

  test("every number names where it was read, and when", () => {
    const own = capabilitiesOf("tiktok", "byo");
    for (const source of [own, ...Object.values(own?.sources ?? {})]) {
      expect(source?.source).toMatch(/^https:/);
      expect(source?.read).toMatch(/^\d{4}-\d{2}$/);
    }
  });
});
