// The list of projects: pictures of videos, and deletion that can be taken back.
import { fetchPage } from "./shared/page-parts.ts";
import { showThumbnails } from "./shared/thumbnails.ts";
import { deleteLater } from "./shared/toast.ts";

showThumbnails(document);
document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  const card = form.closest<HTMLElement>("li");
  if (form.dataset.delete === undefined || !card) return;
  event.preventDefault();
  deleteLater(`${form.dataset.delete} deleted. Its files are kept.`, [card], async () => {
    const response = await fetchPage(form.action, { method: "POST", keepalive: true });
    if (!response) throw new Error("The connection was lost, so nothing was deleted. Try again.");
    if (response.notice?.isProblem) throw new Error(response.notice.text);
  });
});
