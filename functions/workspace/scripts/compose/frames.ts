// Frames of the one player, drawn where a network shows a video.

/** Draws what the player shows into each canvas. */
export function drawFrames(player: HTMLVideoElement, canvases: Iterable<HTMLCanvasElement>): void {
  const { videoWidth: width, videoHeight: height } = player;
  if (width === 0 || player.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
  for (const canvas of canvases) {
    canvas.width = width;
    canvas.height = height;
    canvas.getContext("2d")?.drawImage(player, 0, 0, width, height);
  }
}
