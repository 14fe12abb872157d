// Generated observations of short videos over 60 days, the same on every run except for the end date.
import type { z } from "zod";
import type { VideoLine } from "../../../functions/commands/import-videos.ts";
import { createRandom, type SeededRandom } from "./random.ts";

export type ObservedLine = z.input<typeof VideoLine>;

interface Subject {
  name: string;
  tags: string[];
  things: string[];
}

const SUBJECTS: Subject[] = [
  {
    name: "skincare",
    tags: ["skincare", "skintok", "glowup"],
    things: ["night routine", "sunscreen", "retinol week", "barrier repair"],
  },
  {
    name: "meal prep",
    tags: ["mealprep", "highprotein", "easyrecipes"],
    things: ["lunch boxes", "overnight oats", "sheet pan dinner", "freezer soups"],
  },
  {
    name: "home workout",
    tags: ["homeworkout", "fitness", "fittok"],
    things: ["ten minute core", "band session", "mobility flow", "leg day"],
  },
  {
    name: "budgeting",
    tags: ["budgeting", "moneytips", "personalfinance"],
    things: ["cash envelopes", "first salary", "no spend month", "sinking funds"],
  },
  {
    name: "study tips",
    tags: ["studytok", "studytips", "examseason"],
    things: ["active recall", "desk setup", "exam week", "flash cards"],
  },
  {
    name: "small business",
    tags: ["smallbusiness", "packorders", "entrepreneur"],
    things: ["order packing", "market stall", "first hundred sales", "pricing"],
  },
  {
    name: "houseplants",
    tags: ["planttok", "houseplants", "plantcare"],
    things: ["repotting", "propagation", "watering mistakes", "low light corner"],
  },
  {
    name: "travel",
    tags: ["traveltok", "hiddengems", "travelhacks"],
    things: ["night train", "carry on only", "island week", "street food walk"],
  },
  {
    name: "dog training",
    tags: ["dogtok", "puppytraining", "dogsoftiktok"],
    things: ["recall game", "crate night", "loose leash", "first week"],
  },
  {
    name: "coffee",
    tags: ["coffeetok", "homebarista", "espresso"],
    things: ["pour over", "milk texture", "iced latte", "grinder test"],
  },
  {
    name: "book club",
    tags: ["booktok", "bookrecs", "reading"],
    things: ["fantasy picks", "annotating", "reading slump", "short novels"],
  },
  {
    name: "thrifting",
    tags: ["thrifttok", "thriftflip", "secondhand"],
    things: ["jacket flip", "haul", "tailoring", "vintage denim"],
  },
];

const OPENINGS: ((subject: string, thing: string, chance: SeededRandom) => string)[] = [
  (subject, thing, of) => `${of.integer(3, 9)} ${subject} ideas that start with ${thing}`,
  (subject, thing) => `How to get ${thing} right when ${subject} is new to you`,
  (subject, thing) => `POV: ${thing} finally works and ${subject} feels easy`,
  (subject, thing) => `Stop skipping ${thing}. Your ${subject} needs it`,
  (subject, thing) => `Nobody talks about ${thing} in ${subject}`,
  (subject, thing) => `Is ${thing} worth it for ${subject}?`,
  (subject, thing, of) => `Day ${of.integer(2, 60)} of ${subject}: ${thing}`,
  (subject, thing) => `I tried ${thing} for a month, here is my ${subject} verdict`,
  (subject, thing) => `A quiet ${thing} evening with ${subject}`,
];

const GENERAL_TAGS = ["fyp", "foryou", "viral", "learnontiktok"];
const SOUNDS = Array.from({ length: 80 }, (_, at) => ({ id: `snd-${1000 + at}`, name: `Loop No. ${at + 1}` }));
const DAYS = 60;

/** Yields videos in random order, published within the 60 days before `end`. */
export function* generateObservedVideos({
  count,
  end,
  seed,
}: {
  count: number;
  end: Date;
  seed: number;
}): Generator<ObservedLine> {
  const random = createRandom(seed);
  for (let at = 0; at < count; at++) {
    const subject = random.pick(SUBJECTS);
    const thing = random.pick(subject.things);
    const sound = random.pick(SOUNDS);
    const handle = `${subject.tags[0]}.${random.integer(1, 60)}`;
    const views = random.logNormal(20_000);
    const age = random.next() * DAYS * 24 * 60 * 60 * 1000;
    const id = `9${String(seed).padStart(4, "0")}${String(at).padStart(8, "0")}`;
    yield {
      platform: "tiktok",
      video_id: id,
      url: `https://www.tiktok.com/@${handle}/video/${id}`,
      caption: random.pick(OPENINGS)(subject.name, thing, random),
      hashtags: [
        ...random.sample(subject.tags, random.integer(1, 3)),
        ...random.sample(GENERAL_TAGS, random.integer(0, 2)),
      ],
      sound_id: random.next() < 0.9 ? sound.id : null,
      sound_name: sound.name,
      sound_sample_url: random.next() < 0.5 ? `https://sounds.example/${sound.id}.mp3` : null,
      author_handle: handle,
      views,
      likes: Math.round(views * (0.02 + random.next() * 0.1)),
      comments: Math.round(views * random.next() * 0.01),
      shares: Math.round(views * random.next() * 0.02),
      published_at: new Date(end.getTime() - age).toISOString(),
    };
  }
}
