// The story of the sample workspace, a studio for photography and prints in Bergen: its slideshows and tracked accounts.
import type { Platform } from "../../../lib/shared/platforms.ts";

/** A picture by its scene, or the slides of a slideshow by its title, or the video, or nothing but text. */
export type SampleMedia = { pictures: string[] } | { slideshow: string } | { video: true } | null;

/** The end of a delivery; without one it was published at its first attempt. */
export interface SampleOutcome {
  platform: Platform;
  end: "retried" | "failed";
  attempts: number;
  code: string;
  /** Of the network, as lib/platforms words it. */
  message: string;
}

export interface SamplePost {
  /** Days from today, and the time of that day in UTC. */
  day: number;
  time: string;
  caption: string;
  media: SampleMedia;
  platforms: Platform[];
  outcome?: SampleOutcome;
}

export interface SampleSlideshow {
  title: string;
  isRendered: boolean;
  slides: [scene: string, heading: string, body?: string][];
}

export const SLIDESHOWS: readonly SampleSlideshow[] = [
  {
    title: "Five places for first light in Bergen",
    isRendered: true,
    slides: [
      ["first-light-on-the-pier", "Five places for first light in Bergen"],
      [
        "coloured-houses-at-the-harbour",
        "Bryggen, before the boats",
        "Between five and six the quay is yours. Bring a coffee.",
      ],
      ["summit-at-sunrise", "Ulriken, from the east side", "The last bus does not help. Take a head torch."],
      ["aurora-over-the-fjord", "Fedje, on a clear night", "Set the timer to ten seconds and wait for green."],
    ],
  },
  {
    title: "How a linen print is made",
    isRendered: true,
    slides: [
      ["linen-on-the-table", "How a linen print is made"],
      ["two-cups", "It starts with a sketch", "Two hours, one pencil, and a lot of tea."],
      ["linen-on-the-table", "Then the colours", "We mix five by hand and throw three of them away."],
    ],
  },
  {
    title: "Winter walks for people who hate the cold",
    isRendered: false,
    slides: [
      ["winter-morning", "Winter walks for people who hate the cold"],
      ["fog-in-the-spruce-forest", "Short, sheltered, no ice", "Forty minutes in the forest above the town."],
      ["two-cups", "And it ends at a cafe", "The cinnamon buns are ready at eleven."],
    ],
  },
];

/** The posts of the tracked accounts, newest first and again from the beginning. */
export const HISTORY_CAPTIONS: readonly string[] = [
  "Fog above the town, ten minutes before the sun",
  "How we pack a print so that it survives the ferry",
  "One street, four seasons",
  "The smallest darkroom in Bergen",
  "Three mistakes with a tripod, all of them ours",
  "Rain again. We went out anyway",
  "A customer hung it upside down and we like it better",
  "Blue hour from the roof of the fish market",
  "From sketch to print in twenty seconds",
  "What fits into our camera bag on a Sunday",
  "The boat leaves at six and so does the light",
  "We asked ten people where they go to be alone",
  "Paper or linen? We printed both",
  "The best window seat in town, and who sits there",
];
