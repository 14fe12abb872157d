// TikTok's part of the composer: the options that the chosen accounts have at the moment, and the declarations of a post.
import type { Creator } from "../../../../lib/platforms/tiktok/creator-info.ts";
import type { Body } from "../shared/api.ts";
import { createElement, createFinder } from "../shared/element.ts";
import { PRIVACY_WORDS } from "../shared/privacy-words.ts";

type Settings = NonNullable<Body<"POST /posts/prepare">["tiktok"]>;
type CreatorState = { mayPost: true; creator: Creator } | { mayPost: false; message: string };

const INTERACTIONS = [
  ["comment", "commentsDisabled", "comments"],
  ["duet", "duetDisabled", "duets"],
  ["stitch", "stitchDisabled", "stitches"],
] as const;

/** The sentence that TikTok's guidelines give for a publish button that is off. */
export const UNDISCLOSED = "You need to indicate if your content promotes yourself, a third party, or both.";

export interface ShownMedia {
  type: string;
  /** Of a video, once it is known. */
  seconds?: number | undefined;
}

export function createTikTok(form: HTMLFormElement, onChange: () => void) {
  const find = createFinder(form, "#");
  const isOn = (id: string) => find<HTMLInputElement>(id).checked;
  const privacy = find<HTMLSelectElement>("tiktok-privacy");
  const states = new Map<string, CreatorState>();
  /** The choice of a stored draft, until the options are known. */
  let storedPrivacy = "";
  /** Settings of a stored draft that have no field here. */
  let others: Record<string, unknown> = {};
  let shown = "";

  async function load(box: HTMLInputElement): Promise<void> {
    const response = await fetch(`${form.dataset.base}/compose/creators/${box.value}`).catch(() => null);
    const state = response?.ok ? ((await response.json().catch(() => null)) as CreatorState | null) : null;
    states.set(box.value, state ?? { mayPost: false, message: "TikTok could not be asked. Try again." });
    onChange();
  }

  function showCreators(boxes: HTMLInputElement[]): void {
    const state = JSON.stringify(boxes.map(({ value }) => [value, states.get(value)]));
    if (state === shown) return;
    shown = state;
    find("tiktok-creators").replaceChildren(...boxes.map((box) => buildCreator(box, states.get(box.value))));
  }

  function buildCreator(box: HTMLInputElement, state: CreatorState | undefined): HTMLElement {
    const { username } = box.dataset;
    if (!state) return createElement("li", {}, createElement("span", {}, `${username}: asking TikTok …`));
    if (!state.mayPost) {
      const again = createElement("button", { type: "button" }, "Ask TikTok again");
      again.addEventListener("click", () => {
        states.delete(box.value);
        onChange();
      });
      return createElement(
        "li",
        {},
        createElement("span", { className: "problem" }, `${username}: ${state.message}`),
        again,
      );
    }
    const { nickname, username: name, avatarUrl } = state.creator;
    const text = `Posting as ${nickname ?? username} (@${name ?? username})`;
    const item = createElement("li", {}, createElement("span", {}, text));
    if (avatarUrl) {
      const avatar = createElement("img", { src: avatarUrl, alt: "" });
      avatar.addEventListener("error", () => avatar.remove());
      item.prepend(avatar);
    }
    return item;
  }

  const listCreators = (boxes: HTMLInputElement[]) =>
    boxes.flatMap(({ value }) => {
      const state = states.get(value);
      return state?.mayPost ? [state.creator] : [];
    });

  /** The settings are those of one post, so they are what all chosen accounts allow. */
  function showOptions(creators: Creator[], isBranded: boolean): void {
    const levels = Object.keys(PRIVACY_WORDS).filter((level) =>
      creators.every(({ privacyLevels }) => privacyLevels.includes(level)),
    );
    const options = creators.length === 0 ? [] : levels;
    const current = [...privacy.options].slice(1).map(({ value }) => value);
    if (options.join() !== current.join()) {
      const choice = privacy.value || storedPrivacy;
      for (const option of [...privacy.options].slice(1)) option.remove();
      for (const level of options) privacy.add(new Option(PRIVACY_WORDS[level], level));
      privacy.value = options.includes(choice) ? choice : "";
      if (options.length > 0) storedPrivacy = "";
    }
    for (const option of privacy.options) option.disabled = isBranded && option.value === "SELF_ONLY";
    if (isBranded && privacy.value === "SELF_ONLY") privacy.value = "";
    find("tiktok-privacy-hint").hidden = !isBranded;
    const off = INTERACTIONS.filter(([name, flag]) => {
      const box = find<HTMLInputElement>(`tiktok-${name}`);
      box.disabled = creators.some((creator) => creator[flag]);
      if (box.disabled) box.checked = false;
      return box.disabled;
    });
    const note = find("tiktok-disabled");
    note.hidden = off.length === 0;
    note.textContent = `Turned off in the settings of the account: ${off.map(([, , word]) => word).join(", ")}.`;
  }

  function show(boxes: HTMLInputElement[], media: ShownMedia | undefined): void {
    for (const box of boxes) {
      if (states.has(box.value) || box.dataset.asking) continue;
      box.dataset.asking = "true";
      void load(box).finally(() => delete box.dataset.asking);
    }
    const isCommercial = isOn("tiktok-commercial");
    const isBranded = isCommercial && isOn("tiktok-branded");
    showCreators(boxes);
    showOptions(listCreators(boxes), isBranded);
    find("tiktok-disclosure").hidden = !isCommercial;
    const what = media && !media.type.startsWith("video/") ? "photo" : "video";
    const label = isBranded ? "Paid partnership" : isOn("tiktok-own") ? "Promotional content" : "";
    const promise = `Your ${what} will be labeled as “${label}”. This cannot be changed once it is posted.`;
    const line = isUndisclosed() ? UNDISCLOSED : label ? promise : "";
    if (find("tiktok-label").textContent !== line) find("tiktok-label").textContent = line;
    find("consent").hidden = boxes.length === 0;
    find("consent-branded").hidden = !isBranded;
  }

  /** The reason why the post may not be sent to TikTok; empty when it may. */
  function findMistake(boxes: HTMLInputElement[], media: ShownMedia | undefined): string {
    if (boxes.length === 0) return "";
    const blocked = boxes.find(({ value }) => !states.get(value)?.mayPost);
    if (blocked) {
      const state = states.get(blocked.value);
      return `${blocked.dataset.username}: ${state && !state.mayPost ? state.message : "TikTok has not answered yet."}`;
    }
    const longest = Math.min(...listCreators(boxes).map(({ maxSeconds }) => maxSeconds ?? Number.POSITIVE_INFINITY));
    if (media?.seconds && media.seconds > longest)
      return `Videos of this TikTok account last at most ${longest} seconds.`;
    if (!privacy.value) return "Choose who can view the post on TikTok.";
    return isUndisclosed() ? UNDISCLOSED : "";
  }

  /** The choice that has no default may be far above the button. */
  function focusMissing(): void {
    if (privacy.value === "") privacy.focus();
  }

  function isUndisclosed(): boolean {
    return isOn("tiktok-commercial") && !isOn("tiktok-own") && !isOn("tiktok-branded");
  }

  /** Until TikTok has answered, the choice is the stored one. */
  const readPrivacy = () => privacy.value || storedPrivacy;

  function read(isVideo: boolean, coverMs: number | null): Settings {
    const isCommercial = isOn("tiktok-commercial");
    return {
      ...others,
      ...(readPrivacy() ? { privacy_level: readPrivacy() as "SELF_ONLY" } : {}),
      ...(isVideo && coverMs !== null ? { video_cover_timestamp_ms: coverMs } : {}),
      disable_comment: !isOn("tiktok-comment"),
      ...(isVideo ? { disable_duet: !isOn("tiktok-duet"), disable_stitch: !isOn("tiktok-stitch") } : {}),
      is_commercial: isCommercial,
      is_your_brand: isCommercial && isOn("tiktok-own"),
      is_branded_content: isCommercial && isOn("tiktok-branded"),
      user_consent: true,
    };
  }

  function restore(stored: Record<string, unknown>): void {
    const check = (id: string, on: boolean) => {
      find<HTMLInputElement>(id).checked = on;
    };
    const { privacy_level, video_cover_timestamp_ms: _, ...rest } = stored;
    others = rest;
    storedPrivacy = String(privacy_level ?? "");
    for (const [name] of INTERACTIONS) check(`tiktok-${name}`, stored[`disable_${name}`] === false);
    check("tiktok-commercial", stored.is_commercial === true);
    check("tiktok-own", stored.is_your_brand === true);
    check("tiktok-branded", stored.is_branded_content === true);
  }

  /** Of a copy that the browser kept. */
  function restorePrivacy(level: string): void {
    storedPrivacy = level;
  }

  return { show, findMistake, focusMissing, isUndisclosed, read, restore, readPrivacy, restorePrivacy };
}
