// Videos of lists show a frame once they are near the screen, so that a long list loads no more than what is looked at.
const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLVideoElement)) continue;
      target.preload = "metadata";
      // The first frames of many videos are black.
      target.src = `${target.dataset.src}#t=0.5`;
      observer.unobserve(target);
    }
  },
  { rootMargin: "200px" },
);

export function showThumbnails(root: ParentNode): void {
  for (const video of root.querySelectorAll<HTMLVideoElement>("video[data-src]:not([src])")) observer.observe(video);
}
