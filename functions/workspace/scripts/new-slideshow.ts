// A new slideshow: the entries stay over a reload, and places of the slides are shown while they are written.
import { type CallError, createCaller } from "./shared/api.ts";
import { createElement, createFinder } from "./shared/element.ts";
import { describeError } from "./shared/slideshow-words.ts";
import { showSlidePreviews } from "./slides/slide-previews.ts";
import { buildWaitingSlides } from "./slides/waiting-slides.ts";

const STORED = "new-slideshow";
const RETRY_MS = 1_500;
const root = document.querySelector<HTMLElement>("#new-slideshow");
if (root) start(root);

function start(root: HTMLElement): void {
  const base = root.dataset.base ?? "";
  const call = createCaller(`${base}/api`);
  showSlidePreviews(root);
  const idea = root.querySelector<HTMLFormElement>("#idea-form");
  if (idea) startIdea(idea, base, call);
  const pictures = root.querySelector<HTMLFormElement>("#pictures-form");
  if (pictures) startPictures(pictures, base, call);
}

interface Stored {
  entries: Record<string, string>;
  /** The slides are being written: a reload waits for them. */
  isRunning: boolean;
}

function startIdea(form: HTMLFormElement, base: string, call: ReturnType<typeof createCaller>): void {
  const find = createFinder(form);
  const [problem, button] = [find("#idea-problem"), find<HTMLButtonElement>("button[type=submit]")];
  const name = `${STORED} ${base}`;
  const readEntries = () =>
    Object.fromEntries([...new FormData(form)].map(([key, value]) => [key, String(value)])) as Stored["entries"];
  const store = (isRunning: boolean) => {
    sessionStorage.setItem(name, JSON.stringify({ entries: readEntries(), isRunning } satisfies Stored));
  };

  async function run(): Promise<void> {
    const entries = readEntries();
    if (!entries.prompt?.trim() && !entries.product_id) {
      problem.textContent = "Say what the slideshow is about, or choose a product.";
      find("#prompt").focus();
      return;
    }
    store(true);
    problem.textContent = "";
    button.disabled = true;
    const places = showPlaces(Number(entries.slide_count), entries.aspect_ratio ?? "4:5");
    try {
      const { id } = await generate(entries);
      sessionStorage.removeItem(name);
      location.assign(`${base}/slideshows/${id}`);
    } catch (error) {
      places.remove();
      // The failed attempt is over: the next one is another request.
      find<HTMLInputElement>("[name=key]").value = crypto.randomUUID();
      store(false);
      button.disabled = false;
      problem.textContent = describeError(error as CallError);
      button.focus();
    }
  }

  function showPlaces(count: number, shape: string): HTMLElement {
    const status = createElement("p", { className: "hint" }, `Writing ${count} ${count === 1 ? "slide" : "slides"}…`);
    status.role = "status";
    const places = buildWaitingSlides("Writing the slides", count, shape);
    places.prepend(status);
    form.append(places);
    places.scrollIntoView({ block: "nearest" });
    return places;
  }

  /** A request that runs already, because the page was reloaded, is waited for: its key makes it the same one. */
  async function generate(entries: Stored["entries"]): Promise<{ id: string }> {
    const { prompt = "", slide_count, language = "", aspect_ratio = "", pack_id, product_id, key = "" } = entries;
    const { text_preset = "tiktok", font_size, slideshow_type } = entries;
    const body = {
      ...(prompt.trim() ? { prompt: prompt.trim() } : {}),
      ...{ slide_count: Number(slide_count), language, aspect_ratio },
      ...(pack_id ? { pack_id } : {}),
      ...(product_id ? { product_id } : {}),
      slideshow_type: slideshow_type === "personal" ? ("personal" as const) : ("educational" as const),
      advanced_settings: { text_preset, font_size: font_size === "small" ? ("small" as const) : ("default" as const) },
    };
    for (;;) {
      try {
        return await call("POST /slideshows/generate", { body, idempotencyKey: key });
      } catch (error) {
        if ((error as CallError).code !== "request_in_progress") throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  form.addEventListener("input", () => store(false));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });

  const stored = JSON.parse(sessionStorage.getItem(name) ?? "null") as Stored | null;
  if (!stored) return;
  for (const [key, value] of Object.entries(stored.entries)) {
    const field = form.elements.namedItem(key);
    if (
      field instanceof HTMLInputElement ||
      field instanceof HTMLTextAreaElement ||
      (field instanceof HTMLSelectElement && [...field.options].some((option) => option.value === value))
    )
      field.value = value;
  }
  if (stored.isRunning) void run();
}

interface Picked {
  url: string;
  name: string;
}

function startPictures(form: HTMLFormElement, base: string, call: ReturnType<typeof createCaller>): void {
  const find = createFinder(form, "#");
  const [list, problem] = [find("picked"), find("pictures-problem")];
  const [choose, addresses] = [find<HTMLButtonElement>("choose-pictures"), find<HTMLTextAreaElement>("addresses")];
  const name = `${STORED} pictures ${base}`;
  const picked = JSON.parse(sessionStorage.getItem(name) ?? "[]") as Picked[];

  function show(): void {
    sessionStorage.setItem(name, JSON.stringify(picked));
    list.replaceChildren(
      ...picked.map((one, at) => {
        const move = (label: string, by: number) => {
          const button = createElement("button", { type: "button", disabled: !picked[at + by] }, by < 0 ? "←" : "→");
          button.ariaLabel = `Move picture ${at + 1} ${label}`;
          button.addEventListener("click", () => {
            picked.splice(at, 1);
            picked.splice(at + by, 0, one);
            show();
            list.children[at + by]?.querySelector<HTMLElement>("button:not(:disabled)")?.focus();
          });
          return button;
        };
        const remove = createElement("button", { type: "button", ariaLabel: `Take picture ${at + 1} away` }, "✕");
        remove.addEventListener("click", () => {
          picked.splice(at, 1);
          show();
          choose.focus();
        });
        const image = createElement("img", { src: one.url, alt: one.name });
        return createElement(
          "li",
          {},
          image,
          createElement("span", { className: "row" }, move("earlier", -1), move("later", 1), remove),
        );
      }),
    );
  }

  choose.disabled = false;
  choose.addEventListener("click", async () => {
    const { pickImages } = await import("./slides/image-picker.ts");
    const chosen = await pickImages({ call, base, isMultiple: true });
    picked.push(...chosen);
    show();
    choose.focus();
  });

  form.addEventListener("submit", async (event) => {
    const typed = addresses.value.split(/\s+/).filter(Boolean);
    // The server checks typed addresses.
    if (picked.length === 0) return;
    event.preventDefault();
    problem.textContent = "";
    const urls = [...picked.map(({ url }) => url), ...typed];
    try {
      const slides = urls.map((image_url) => ({ image_url, text_elements: [{ content: "", x: 50, y: 50 }] }));
      const { id } = await call("POST /slideshows", { body: { slides } });
      sessionStorage.removeItem(name);
      location.assign(`${base}/slideshows/${id}`);
    } catch (error) {
      problem.textContent = describeError(error as CallError);
    }
  });
  show();
}
