// The posts of the sample workspace: four weeks back, two weeks ahead, and drafts.
import type { SampleMedia, SampleOutcome, SamplePost } from "./story.ts";

const SPAM: Omit<SampleOutcome, "platform"> = {
  end: "failed",
  attempts: 1,
  code: "spam_risk_text",
  message:
    "TikTok takes the text of this post for spam. Change the caption, hashtags or links, then create the post again.",
};

const SHOW = { slideshow: "Five places for first light in Bergen" };
const PRINT = { slideshow: "How a linen print is made" };
const VIDEO: SampleMedia = { video: true };
const picture = (...pictures: string[]): SampleMedia => ({ pictures });

export const PAST_POSTS: readonly SamplePost[] = [
  {
    day: -27,
    time: "07:30",
    platforms: ["instagram", "threads"],
    media: picture("fog-in-the-spruce-forest"),
    caption: "Fog in the spruce forest above Fløyen. No filter, only patience. #bergen #forest",
  },
  {
    day: -26,
    time: "16:00",
    platforms: ["tiktok", "instagram", "youtube"],
    media: VIDEO,
    caption: "A day at the harbour in twelve seconds #bergen #harbour",
  },
  {
    day: -24,
    time: "11:15",
    platforms: ["linkedin"],
    media: null,
    caption:
      "We are looking for a second photographer in Bergen, two days a week, from January. Write to us with three pictures that you like, not three that others liked.",
  },
  {
    day: -23,
    time: "08:00",
    platforms: ["bluesky", "twitter", "threads"],
    media: null,
    caption:
      "The light at half past seven this morning was the colour of the inside of a mussel. We were late for work.",
  },
  {
    day: -21,
    time: "17:30",
    platforms: ["instagram", "facebook", "pinterest"],
    media: picture("linen-on-the-table"),
    caption: "New in the shop: linen prints in five colours, hemmed by hand.",
  },
  {
    day: -20,
    time: "07:45",
    platforms: ["instagram", "tiktok"],
    media: SHOW,
    caption: "Five places for first light in Bergen. Which one is yours? #bergen #sunrise",
  },
  {
    day: -18,
    time: "12:00",
    platforms: ["twitter", "bluesky"],
    media: picture("coloured-houses-at-the-harbour"),
    caption: "Bryggen, before the boats.",
  },
  {
    day: -17,
    time: "18:10",
    platforms: ["tiktok", "youtube"],
    media: VIDEO,
    caption: "Three scenes, one tripod, no plan #behindthescenes",
    outcome: {
      platform: "youtube",
      end: "retried",
      attempts: 2,
      code: "http_503",
      message: "YouTube had an internal error.",
    },
  },
  {
    day: -15,
    time: "09:20",
    platforms: ["facebook", "linkedin"],
    media: picture("storm-over-the-lighthouse"),
    caption: "The shop is closed on Thursday: the storm is not good for frames, and worse for us.",
  },
  {
    day: -14,
    time: "07:30",
    platforms: ["instagram", "threads"],
    media: picture("winter-morning", "summit-at-sunrise"),
    caption: "First snow on Ulriken. Swipe for the same place a week ago.",
  },
  {
    day: -12,
    time: "16:45",
    platforms: ["tiktok", "instagram"],
    media: PRINT,
    caption: "How a linen print is made, from the pencil to the hem. Link and code in our profile, only today!",
    outcome: { platform: "tiktok", ...SPAM },
  },
  {
    day: -11,
    time: "10:00",
    platforms: ["pinterest", "facebook"],
    media: picture("two-cups"),
    caption: "Two cups, one window, the whole Sunday.",
  },
  {
    day: -9,
    time: "07:50",
    platforms: ["instagram", "bluesky", "threads"],
    media: picture("midnight-sun"),
    caption: "From the archive: one in the morning in June, and nobody wants to sleep.",
  },
  {
    day: -8,
    time: "12:30",
    platforms: ["threads"],
    media: null,
    caption: "What would you rather hang in your kitchen: fog or houses? We print the winner.",
    outcome: {
      platform: "threads",
      end: "failed",
      attempts: 8,
      code: "http_500",
      message:
        "Threads had an internal error. Failed after 8 attempts. Retry the post when the network is available again.",
    },
  },
  {
    day: -6,
    time: "17:00",
    platforms: ["tiktok", "instagram", "youtube", "facebook"],
    media: VIDEO,
    caption: "Light, water, music, people, places: our week in Bergen #bergen #norway",
  },
  {
    day: -5,
    time: "08:15",
    platforms: ["linkedin", "twitter"],
    media: null,
    caption: "Two years of North Light this week. 214 prints, 31 workshops, one flooded cellar. Thank you for staying.",
  },
  {
    day: -3,
    time: "19:00",
    platforms: ["instagram", "twitter", "bluesky"],
    media: picture("aurora-over-the-fjord"),
    caption: "Green over the fjord at eleven last night. Ten seconds, cold hands. #northernlights",
  },
  {
    day: -2,
    time: "11:40",
    platforms: ["facebook", "pinterest"],
    media: picture("coloured-houses-at-the-harbour", "linen-on-the-table"),
    caption: "The Christmas market opens on Saturday. You find us beside the coffee.",
  },
  {
    day: -1,
    time: "07:35",
    platforms: ["instagram", "threads"],
    media: picture("summit-at-sunrise"),
    caption: "Worth the alarm clock.",
  },
];

export const COMING_POSTS: readonly SamplePost[] = [
  {
    day: 1,
    time: "07:30",
    platforms: ["instagram", "threads", "bluesky"],
    media: picture("first-light-on-the-pier"),
    caption: "Morning light on the pier, before anybody is up.",
  },
  {
    day: 2,
    time: "16:00",
    platforms: ["facebook", "linkedin"],
    media: null,
    caption: "Our workshop in January has four places left: one day, one lens, lunch included.",
  },
  {
    day: 3,
    time: "12:00",
    platforms: ["instagram", "facebook"],
    media: picture("two-cups", "linen-on-the-table"),
    caption: "Linen for the table, five colours, back in stock.",
  },
  {
    day: 5,
    time: "17:30",
    platforms: ["youtube", "instagram"],
    media: VIDEO,
    caption: "Twelve seconds of Bergen for everybody who is not here.",
  },
  {
    day: 6,
    time: "08:00",
    platforms: ["twitter", "bluesky"],
    media: picture("winter-morning"),
    caption: "Minus nine, no wind, and the whole valley is blue.",
  },
  {
    day: 8,
    time: "18:00",
    platforms: ["instagram", "facebook"],
    media: SHOW,
    caption: "Saved for the holidays: five places for first light.",
  },
  {
    day: 10,
    time: "11:00",
    platforms: ["linkedin", "threads"],
    media: null,
    caption: "Orders until Friday arrive before Christmas. After that we promise nothing but good wrapping.",
  },
  {
    day: 13,
    time: "19:00",
    platforms: ["instagram", "threads", "twitter"],
    media: picture("aurora-over-the-fjord"),
    caption: "If the sky is clear tonight: look north after ten.",
  },
];

export const DRAFTS: readonly Omit<SamplePost, "day" | "time">[] = [
  {
    platforms: ["instagram", "facebook"],
    media: PRINT,
    caption: "How a linen print is made. The second part shows the workshop.",
  },
  {
    platforms: ["threads"],
    media: null,
    caption: "Ask us anything about printing on linen. We answer until the kettle is empty.",
  },
];
