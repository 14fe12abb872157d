// The one player, and the frame of the video that TikTok and Instagram show as its cover.
import { createFinder } from "../shared/element.ts";
import { formatTime } from "../shared/time.ts";
import { drawFrames } from "./frames.ts";

/** The first frames of many videos are black. */
const FIRST_FRAME_MS = 500;

export function createCover(form: HTMLFormElement, onChange: () => void) {
  const find = createFinder(form, "#");
  const player = find<HTMLVideoElement>("player");
  const own = find<HTMLInputElement>("cover-own");
  const range = find<HTMLInputElement>("cover");
  const stored = find<HTMLInputElement>("cover-ms");

  function show(): void {
    find("cover-choice").hidden = !own.checked;
    const ms = own.checked ? Number(stored.value) : FIRST_FRAME_MS;
    // A range has no values until the length of the video is known.
    range.disabled = !(player.duration > 0);
    range.value = String(ms);
    find("cover-at").textContent = formatTime(ms);
    range.setAttribute("aria-valuetext", formatTime(ms));
    if (player.readyState > 0 && player.paused) player.currentTime = ms / 1000;
  }

  const draw = () => {
    if (player.paused) drawFrames(player, document.querySelectorAll<HTMLCanvasElement>("canvas[data-frame]"));
  };
  player.addEventListener("loadedmetadata", () => {
    range.max = String(Math.floor(player.duration * 1000));
    show();
    onChange();
  });
  for (const event of ["seeked", "loadeddata"]) player.addEventListener(event, draw);
  range.addEventListener("input", () => {
    player.pause();
    stored.value = range.value;
    show();
  });
  own.addEventListener("change", () => {
    if (own.checked && stored.value === "") stored.value = String(FIRST_FRAME_MS);
    show();
  });

  return {
    /** Null for no video. */
    setVideo(url: string | null): void {
      player.hidden = url === null;
      find("cover-part").hidden = url === null;
      if (url === null) player.removeAttribute("src");
      else if (player.getAttribute("src") !== url) player.src = url;
    },
    getSeconds: () => (Number.isFinite(player.duration) ? player.duration : undefined),
    read: () => (own.checked && stored.value !== "" ? Number(stored.value) : null),
    restore(ms: unknown): void {
      if (typeof ms !== "number") return;
      own.checked = true;
      stored.value = String(ms);
    },
    show,
    draw,
  };
}
