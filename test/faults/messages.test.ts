// Consumers that are killed in the middle of an invocation, with their neighbours, and messages that arrive twice or never:
// each post is published once, and no post fails because of it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drivers } from "../../lib/platforms/index.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { type MessageResults, runMessageSuite } from "./message-suite.ts";
import { countVerdicts, formatTable, getTitle, type Judged, type Tally } from "./verdict.ts";

const tallies = new Map<Platform, Tally>();

afterAll(() => void process.stdout.write(`\nkilled consumers, doubled and lost messages\n${formatTable(tallies)}\n\n`));

describe.each(Object.values(drivers).map((driver) => [driver.platform, driver] as const))("%s", (platform, driver) => {
  let results: MessageResults = { withoutFaults: [], killedOrCopied: [], withLostMessages: [] };

  beforeAll(async () => {
    results = await runMessageSuite(driver);
    tallies.set(platform, countVerdicts([...results.killedOrCopied, ...results.withLostMessages]));
  }, 900_000);

  const summarizeUnpublished = (judged: Judged[]) =>
    judged.filter(({ verdict }) => verdict !== "posted").map(({ summary }) => summary);

  test("every kind is published without faults, from one message", () => {
    expect(summarizeUnpublished(results.withoutFaults)).toEqual([]);
  });

  test("every planned fault was injected", () => {
    const missed = results.killedOrCopied.filter(({ running }) => !running.publisher.struck());
    expect(missed.map(({ running }) => getTitle(running))).toEqual([]);
    expect(results.killedOrCopied.length).toBeGreaterThan(10);
    expect(results.withLostMessages.length).toBeGreaterThan(3);
  });

  test("a killed consumer and a doubled message publish each post once", () => {
    // TikTok does not report what became of photos whose call may have been sent when their consumer was killed.
    const isUncheckable = ({ verdict, running: { kind, plan } }: Judged) =>
      verdict === "unknown reported" &&
      platform === "tiktok" &&
      kind.name !== "single_video" &&
      plan?.fault.startsWith("killed") === true;
    expect(summarizeUnpublished(results.killedOrCopied.filter((one) => !isUncheckable(one)))).toEqual([]);
  });

  test("lost messages delay a post, and nothing else", () => {
    expect(summarizeUnpublished(results.withLostMessages)).toEqual([]);
  });
});
