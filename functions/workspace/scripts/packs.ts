// Pictures for a pack: uploaded, or chosen from the files of the workspace, one after the other with progress.
import { type CallError, createCaller } from "./shared/api.ts";
import { fetchPage, replaceParts } from "./shared/page-parts.ts";
import { describeError } from "./shared/slideshow-words.ts";
import { showToast } from "./shared/toast.ts";

const root = document.querySelector<HTMLElement>("#pack");
const choose = document.querySelector<HTMLButtonElement>("#choose-images");
if (root && choose) startPack(root, choose);

function startPack(root: HTMLElement, choose: HTMLButtonElement): void {
  const { base = "", id = "" } = root.dataset;
  const call = createCaller(`${base}/api`);
  const bar = root.querySelector<HTMLProgressElement>("#adding");
  const state = root.querySelector<HTMLElement>("#adding-state");
  const problem = root.querySelector<HTMLElement>("#adding-problem");

  choose.disabled = false;
  choose.addEventListener("click", async () => {
    const { pickImages } = await import("./slides/image-picker.ts");
    const images = await pickImages({ call, base, isMultiple: true, hasPacks: false });
    choose.focus();
    if (images.length === 0) return;
    choose.disabled = true;
    const problems: string[] = [];
    if (bar) bar.hidden = false;
    for (const [at, { url, name }] of images.entries()) {
      if (bar) bar.value = at / images.length;
      if (state) state.textContent = `Adding picture ${at + 1} of ${images.length}…`;
      try {
        await call("POST /packs/{packId}/images", {
          params: { packId: id },
          body: { image_url: url, file_name: name },
        });
      } catch (error) {
        problems.push(`${name}: ${describeError(error as CallError)}`);
      }
    }
    if (bar) bar.hidden = true;
    choose.disabled = false;
    const added = images.length - problems.length;
    if (state) state.textContent = "";
    if (problem) problem.textContent = problems.join(" ");
    if (added > 0) showToast(`${added} ${added === 1 ? "picture is" : "pictures are"} added.`);
    await refresh();
    choose.focus();
  });

  async function refresh(): Promise<void> {
    const fetched = await fetchPage(location.pathname);
    if (fetched) replaceParts(root, fetched.page);
  }
}
