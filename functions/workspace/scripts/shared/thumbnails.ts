// Videos of lists show a frame once they are near the screen, so that a long list loads no more than what is looked at.
/** More at once would delay the first. */
const PARALLEL_VIDEOS = 4;

const waiting: HTMLVideoElement[] = [];
let running = 0;

function loadNext(): void {
  const video = running < PARALLEL_VIDEOS ? waiting.shift() : undefined;
  if (!video) return;
  running += 1;
  const end = new AbortController();
  const finish = () => {
    end.abort();
    running -= 1;
    loadNext();
  };
  for (const event of ["loadedmetadata", "suspend", "error", "emptied"])
    video.addEventListener(event, finish, { signal: end.signal });
  video.preload = "metadata";
  // The first frames of many videos are black.
  video.src = `${video.dataset.src}#t=0.5`;
  loadNext();
}

const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLVideoElement)) continue;
      observer.unobserve(target);
      waiting.push(target);
    }
    loadNext();
  },
  { rootMargin: "200px" },
);

export function showThumbnails(root: ParentNode): void {
  for (const video of root.querySelectorAll<HTMLVideoElement>("video[data-src]:not([src])")) observer.observe(video);
}
