// Pictures for a pack: uploaded, or chosen from the files of the workspace, one after the other with progress.
import { type CallError, createCaller } from "./shared/api.ts";
import { createFinder } from "./shared/element.ts";
import { refreshParts } from "./shared/page-parts.ts";
import { describeError } from "./shared/slideshow-words.ts";
import { showToast } from "./shared/toast.ts";

const root = document.querySelector<HTMLElement>("#pack");
const choose = document.querySelector<HTMLButtonElement>("#choose-images");
if (root && choose) startPack(root, choose);

function startPack(root: HTMLElement, choose: HTMLButtonElement): void {
  const { base = "", id = "" } = root.dataset;
  const call = createCaller(`${base}/api`);
  const find = createFinder(root, "#adding");
  const [bar, state, problem] = [find<HTMLProgressElement>(""), find("-state"), find("-problem")];

  choose.disabled = false;
  choose.addEventListener("click", async () => {
    const { pickImages } = await import("./slides/image-picker.ts");
    const images = await pickImages({ call, base, isMultiple: true, hasPacks: false });
    choose.focus();
    if (images.length === 0) return;
    choose.disabled = true;
    const problems: string[] = [];
    bar.hidden = false;
    for (const [at, { url, name }] of images.entries()) {
      bar.value = at / images.length;
      state.textContent = `Adding picture ${at + 1} of ${images.length}…`;
      try {
        await call("POST /packs/{packId}/images", {
          params: { packId: id },
          body: { image_url: url, file_name: name },
        });
      } catch (error) {
        problems.push(`${name}: ${describeError(error as CallError)}`);
      }
    }
    bar.hidden = true;
    choose.disabled = false;
    const added = images.length - problems.length;
    state.textContent = "";
    problem.textContent = problems.join(" ");
    if (added > 0) showToast(`${added} ${added === 1 ? "picture is" : "pictures are"} added.`);
    await refreshParts(root);
    choose.focus();
  });
}
