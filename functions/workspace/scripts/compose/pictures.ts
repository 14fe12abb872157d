// A picture of a setting, such as YouTube's thumbnail: uploaded when it is chosen, and kept as its URL in the field beside it.
import type { Call } from "../shared/api.ts";

export function createPictures(
  form: HTMLFormElement,
  upload: { call: Call; base: string },
  { onChange, onProblem }: { onChange(): void; onProblem(text: string): void },
) {
  const inputs = [...form.querySelectorAll<HTMLInputElement>("[data-picture]")];
  const uploading = new Set<File>();

  function show(input: HTMLInputElement): void {
    const { row, field } = findParts(input);
    const image = row.querySelector("img") as HTMLImageElement;
    image.hidden = field.value === "";
    if (field.value) image.src = field.value;
    (row.querySelector("button") as HTMLButtonElement).hidden = field.value === "";
  }

  function findParts(input: HTMLInputElement) {
    const field = form.querySelector<HTMLInputElement>(`#${input.dataset.picture}`) as HTMLInputElement;
    return { row: input.parentElement as HTMLElement, field };
  }

  async function store(input: HTMLInputElement): Promise<void> {
    const [file] = input.files ?? [];
    if (!file) return;
    const { row, field } = findParts(input);
    const bar = row.querySelector("progress") as HTMLProgressElement;
    bar.hidden = false;
    uploading.add(file);
    try {
      const { uploadFile } = await import("../shared/upload.ts");
      const { file: stored } = await uploadFile(upload.call, upload.base, file, (fraction) => {
        bar.value = fraction;
      });
      field.value = stored.url;
      onProblem("");
    } catch (error) {
      onProblem(`${file.name}: ${(error as Error).message}`);
    } finally {
      uploading.delete(file);
      bar.hidden = true;
      input.value = "";
      show(input);
      onChange();
    }
  }

  for (const input of inputs) {
    input.addEventListener("change", () => void store(input));
    input.parentElement?.querySelector("button")?.addEventListener("click", () => {
      findParts(input).field.value = "";
      show(input);
      onChange();
      input.focus();
    });
  }

  return { show: () => inputs.forEach(show), listUploads: () => [...uploading].map(({ name }) => name) };
}
