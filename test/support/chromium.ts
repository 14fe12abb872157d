// The Chromium of the system, for tests and comparisons that need a real browser.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const EXECUTABLES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const ARGUMENTS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--no-first-run", "--force-color-profile=srgb"],
];

/** Null when none is installed (`apt-get install chromium`). */
export function findChromium(): string | null {
  return EXECUTABLES.find(existsSync) ?? null;
}

export function openChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("no Chromium is installed");
  return chromium.launch({ executablePath, args: ARGUMENTS });
}
