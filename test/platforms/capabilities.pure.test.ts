// Capabilities: the limits of networks, and the additional limits of hosted accounts.
import { describe, expect, test } from "vitest";
import { describeCapabilities, getCapabilities } from "../../lib/platforms/capabilities.ts";

describe("capabilities", () => {
  test("a hosted account has the stricter of the network's and the service's limits", () => {
    for (const platform of ["tiktok", "instagram"] as const) {
      const own = getCapabilities(platform, "byo");
      const hosted = getCapabilities(platform, "hosted");
      expect(hosted.caption.limit).toBe(500);
      expect(hosted.videos).toMatchObject({ minSeconds: 15, maxSeconds: 60, maxBytes: 99_999_999 });
      expect(hosted.images.max).toBe(Math.min(own.images.max, 35));
      expect(hosted.images.maxBytes).toBeLessThan(5_000_000);
      expect(hosted.images.types.every((type) => own.images.types.includes(type))).toBe(true);
      expect(hosted.kinds).not.toContain("text_only");
      expect(own.caption.limit).toBe(2_200);
    }
  });

  test("every kind is either supported or has a reason", () => {
    for (const platform of ["tiktok", "instagram", "linkedin"] as const) {
      for (const type of ["byo", "hosted"] as const) {
        const described = describeCapabilities(platform, type, null);
        const named = [
          ...described.supported_content_kinds,
          ...Object.keys(described.unsupported_content_kind_reasons),
        ];
        expect(named.toSorted()).toEqual([
          "mixed_carousel",
          "multi_image",
          "single_image",
          "single_video",
          "text_only",
        ]);
      }
    }
  });

  test("every number has a source and the date it was read", () => {
    const own = getCapabilities("tiktok", "byo");
    for (const source of [own, ...Object.values(own.sources)]) {
      expect(source?.source).toMatch(/^https:/);
      expect(source?.read).toMatch(/^\d{4}-\d{2}$/);
    }
  });
});
