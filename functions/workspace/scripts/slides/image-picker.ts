// A dialog to choose images: from packs, from the files of the workspace, from this device, or by address.
import type { Call, Data } from "../shared/api.ts";
import { createElement } from "../shared/element.ts";
import { uploadFile } from "../shared/upload.ts";

export interface PickedImage {
  url: string;
  name: string;
}

interface PickOptions {
  call: Call;
  base: string;
  isMultiple: boolean;
  /** Images of packs are of no use for a pack itself. */
  hasPacks?: boolean;
}

const MAX_FILES = 60;
const ACCEPTED = "image/jpeg,image/png,image/webp,image/gif";

/** Nothing if the dialog is closed without a choice. */
export async function pickImages({ call, base, isMultiple, hasPacks = true }: PickOptions): Promise<PickedImage[]> {
  const dialog = createElement("dialog", { className: "large image-picker" });
  const title = createElement("h2", { id: "picker-title" }, isMultiple ? "Choose pictures" : "Choose a picture");
  dialog.setAttribute("aria-labelledby", title.id);
  const problem = createElement("p", { className: "problem" });
  problem.role = "alert";
  const done = createElement("button", { type: "button", className: "primary" }, "Use these");
  const close = createElement("button", { type: "button" }, "Cancel");
  const count = createElement("p", { className: "hint" });
  count.role = "status";
  const chosen = new Map<string, PickedImage>();
  let isTaken = false;

  const finish = () => {
    isTaken = true;
    dialog.close();
  };
  const choose = (image: PickedImage) => {
    if (!isMultiple) chosen.clear();
    chosen.set(image.url, image);
    if (!isMultiple) finish();
    showCount();
  };
  const showCount = () => {
    done.disabled = chosen.size === 0;
    count.textContent = isMultiple && chosen.size > 0 ? `${chosen.size} chosen` : "";
  };

  function buildGrid(images: PickedImage[]): HTMLElement {
    return createElement(
      "ul",
      { className: "image-picker-grid" },
      ...images.map((image) => {
        const picture = createElement("img", { src: image.url, alt: image.name, loading: "lazy" });
        const button = createElement("button", { type: "button" }, picture);
        button.ariaPressed = String(chosen.has(image.url));
        button.addEventListener("click", () => {
          if (isMultiple && chosen.delete(image.url)) showCount();
          else choose(image);
          button.ariaPressed = String(chosen.has(image.url));
        });
        return createElement("li", {}, button);
      }),
    );
  }

  const uploads = buildUpload(call, base, isMultiple, choose, problem);
  const address = buildAddress(choose);
  const packs = createElement("div", { className: "image-picker-part" });
  const files = createElement("div", { className: "image-picker-part" });
  const skeleton = () => createElement("div", { className: "skeleton image-picker-skeleton" });
  packs.append(skeleton());
  files.append(skeleton());
  const section = (label: string, content: HTMLElement, isOpen: boolean) => {
    const details = createElement("details", { className: "card", open: isOpen }, createElement("summary", {}, label));
    details.append(content);
    return details;
  };
  const head = createElement("div", { className: "row image-picker-head" }, title);
  dialog.append(head, uploads);
  if (hasPacks) dialog.append(section("From your packs", packs, true));
  dialog.append(section("From your files", files, true), section("By its address on the web", address, false));
  dialog.append(problem, count, createElement("div", { className: "row" }, close, ...(isMultiple ? [done] : [])));
  close.addEventListener("click", () => dialog.close());
  done.addEventListener("click", finish);
  document.body.append(dialog);
  showCount();
  dialog.showModal();

  if (hasPacks)
    call("GET /packs")
      .then(({ packs: list }: Data<"GET /packs">) => {
        const filled = list.filter(({ images }) => images.length > 0);
        const parts = filled.flatMap((pack) => [createElement("h3", {}, pack.name), buildPack(pack)]);
        packs.replaceChildren(...(parts.length > 0 ? parts : [describeEmpty("There is no pack with pictures yet.")]));
      })
      .catch((error: Error) => packs.replaceChildren(describeEmpty(error.message)));
  fetchFiles(call)
    .then((images) => {
      const empty = describeEmpty("There are no pictures among your files yet.");
      files.replaceChildren(images.length > 0 ? buildGrid(images) : empty);
    })
    .catch((error: Error) => files.replaceChildren(describeEmpty(error.message)));

  function buildPack({ id, images, image_count }: Data<"GET /packs">["packs"][number]): HTMLElement {
    const toImages = (list: typeof images) => list.map(({ url, file_name: name }) => ({ url, name }));
    const part = createElement("div", {}, buildGrid(toImages(images)));
    if (image_count > images.length) {
      const more = createElement("button", { type: "button", className: "link" }, `All ${image_count} pictures`);
      more.addEventListener("click", async () => {
        const pack = await call("GET /packs/{packId}", { params: { packId: id } });
        part.replaceChildren(buildGrid(toImages(pack.images)));
        part.querySelector("button")?.focus();
      });
      part.append(more);
    }
    return part;
  }

  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(isTaken ? [...chosen.values()] : []);
    });
  });
}

function describeEmpty(text: string): HTMLElement {
  return createElement("p", { className: "hint" }, text);
}

/** The newest images among the files of the workspace. */
async function fetchFiles(call: Call): Promise<PickedImage[]> {
  const { files } = await call("GET /files", { query: { type: "image", limit: MAX_FILES } });
  return files.map(({ url, filename }) => ({ url, name: filename }));
}

function buildUpload(
  call: Call,
  base: string,
  isMultiple: boolean,
  choose: (image: PickedImage) => void,
  problem: HTMLElement,
): HTMLElement {
  const input = createElement("input", { type: "file", accept: ACCEPTED, multiple: isMultiple });
  const words = isMultiple ? "Upload pictures from this device" : "Upload a picture from this device";
  const label = createElement("label", { className: "drop" }, createElement("strong", {}, words), input);
  const list = createElement("ul", { className: "uploads" });
  list.ariaLive = "polite";

  async function send(files: Iterable<File>): Promise<void> {
    problem.textContent = "";
    const uploaded: PickedImage[] = [];
    for (const file of files) {
      const bar = createElement("progress", { max: 1, ariaLabel: `Upload of ${file.name}` });
      const item = createElement("li", {}, createElement("span", {}, file.name), bar);
      list.append(item);
      try {
        const report = await uploadFile(call, base, file, (fraction) => {
          bar.value = fraction;
        });
        uploaded.push({ url: report.file.url, name: file.name });
        item.replaceChildren(createElement("span", {}, `${file.name} is uploaded.`));
      } catch (error) {
        item.remove();
        problem.textContent = `${file.name}: ${(error as Error).message}`;
      }
    }
    for (const image of uploaded) choose(image);
  }

  input.addEventListener("change", () => void send([...(input.files ?? [])]));
  label.addEventListener("dragover", (event) => event.preventDefault());
  label.addEventListener("drop", (event) => {
    event.preventDefault();
    void send([...(event.dataTransfer?.files ?? [])]);
  });
  return createElement("div", {}, label, list);
}

function buildAddress(choose: (image: PickedImage) => void): HTMLElement {
  const input = createElement("input", { type: "url", required: true, placeholder: "https://example.com/picture.jpg" });
  const label = createElement("label", {}, "Address of the picture", input);
  const form = createElement("form", { className: "stack" }, label, createElement("button", {}, "Use this address"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    choose({ url: input.value, name: input.value.split("/").at(-1) || "Picture" });
    input.value = "";
  });
  return form;
}
