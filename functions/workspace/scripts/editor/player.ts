// Plays a project: the topmost clip at each time, the sound of every clip, and the texts above.
import type { Data } from "../shared/api.ts";
import { createElement, createFinder } from "../shared/element.ts";
import { formatTime } from "../shared/time.ts";

type Project = Data<"GET /editor/projects/{projectId}">;
type Clip = Project["clips"][number];

/** A file that is further from its place, in seconds, is moved there. */
const MAX_DRIFT = { playing: 0.25, paused: 0.02 };

export function createPlayer(root: HTMLElement, onTime: (ms: number) => void) {
  const find = createFinder(root);
  const [stage, media, overlay, note] = [find(".stage"), find(".media"), find(".overlay"), find("#stage-note")];
  const play = find<HTMLButtonElement>("#play");
  const position = find<HTMLInputElement>("#position");
  const text = find<HTMLOutputElement>("#position-text");
  let project: Project | null = null;
  let elements = new Map<string, HTMLElement>();
  let at = 0;
  let playing = false;
  let frameAt = 0;

  const [across = 9, down = 16] = (stage.dataset.ratio ?? "").split(":").map(Number);
  stage.style.setProperty("--ratio", String(across / down));
  play.addEventListener("click", () => (playing ? pause() : start()));
  position.addEventListener("input", () => seek(Number(position.value)));

  function createMedia({ type, url }: Project["assets"][number]): HTMLElement {
    if (type === "image") return createElement("img", { src: url, alt: "" });
    // The words of the clips are shown above, from the text clips of the project.
    const captions = createElement("track", { kind: "captions" });
    const element = createElement(type === "audio" ? "audio" : "video", { preload: "metadata", src: url }, captions);
    if (element instanceof HTMLVideoElement) element.playsInline = true;
    element.addEventListener("error", () => showNote("A file of this project cannot be played here."));
    element.addEventListener("loadeddata", () => show());
    return element;
  }

  function showNote(message: string): void {
    note.textContent = message;
    note.hidden = message === "";
  }

  function setProject(next: Project): void {
    const known = elements;
    elements = new Map(next.assets.map((asset) => [asset.asset_id, known.get(asset.asset_id) ?? createMedia(asset)]));
    for (const element of elements.values()) element.hidden = true;
    media.replaceChildren(...elements.values());
    project = next;
    position.max = String(next.duration_ms);
    play.disabled = next.duration_ms === 0;
    showNote(next.duration_ms === 0 ? "The timeline is empty." : "");
    seek(Math.min(at, next.duration_ms));
  }

  function seek(ms: number): void {
    at = Math.max(0, Math.min(ms, project?.duration_ms ?? 0));
    show();
  }

  function show(): void {
    if (!project) return;
    const active = project.clips
      .filter(({ start_ms, end_ms }) => start_ms <= at && at < end_ms)
      .sort((a, b) => b.track - a.track);
    const types = new Map(project.assets.map(({ asset_id, type }) => [asset_id, type]));
    const top = active.find(({ asset_id }) => types.get(asset_id) !== "audio");
    for (const [id, element] of elements) {
      const clip = active.find(({ asset_id }) => asset_id === id);
      element.hidden = clip === undefined || clip !== top;
      if (element instanceof HTMLMediaElement) placeMedia(element, clip);
    }
    showTexts(project.text_clips.filter(({ start_ms, end_ms }) => start_ms <= at && at < end_ms));
    position.value = String(Math.round(at));
    const label = `${formatTime(at)} / ${formatTime(project.duration_ms)}`;
    if (text.value !== label) text.value = label;
    position.setAttribute("aria-valuetext", `${formatTime(at)} of ${formatTime(project.duration_ms)}`);
    onTime(at);
  }

  function placeMedia(element: HTMLMediaElement, clip: Clip | undefined): void {
    if (!clip) {
      element.pause();
      return;
    }
    const target = (clip.source_start_ms + (at - clip.start_ms) * clip.speed) / 1000;
    const drift = Math.abs(element.currentTime - target);
    if (drift > (playing ? MAX_DRIFT.playing : MAX_DRIFT.paused)) element.currentTime = target;
    element.playbackRate = clip.speed;
    element.volume = Math.min(1, clip.volume);
    element.muted = clip.muted;
    if (!playing) element.pause();
    else if (element.paused) element.play().catch(() => undefined);
  }

  function showTexts(shown: Project["text_clips"]): void {
    const signature = shown.map(({ role, text }) => `${role} ${text}`).join("\n");
    if (overlay.dataset.shown === signature) return;
    overlay.dataset.shown = signature;
    overlay.replaceChildren(
      ...shown.map(({ role, text }) =>
        createElement("p", { className: role === "caption" ? "caption-text" : "title-text", dir: "auto" }, text),
      ),
    );
  }

  function start(): void {
    if (!project) return;
    if (at >= project.duration_ms) at = 0;
    playing = true;
    play.textContent = "Pause";
    frameAt = performance.now();
    requestAnimationFrame(advance);
  }

  function pause(): void {
    playing = false;
    play.textContent = "Play";
    show();
  }

  function advance(now: number): void {
    if (!playing || !project) return;
    // While a file is loading, the time waits for it.
    const isWaiting = [...elements.values()].some(
      (element) => element instanceof HTMLMediaElement && !element.hidden && element.readyState < 3 && !element.error,
    );
    if (!isWaiting) at += now - frameAt;
    frameAt = now;
    if (at >= project.duration_ms) {
      at = project.duration_ms;
      pause();
      return;
    }
    show();
    requestAnimationFrame(advance);
  }

  return { setProject, seek, getTime: () => at };
}
