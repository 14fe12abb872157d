// The composer: counts while typing, shows the settings of the chosen networks, stores drafts, and commits them.
import { callApi, uploadFile } from "./upload.ts";

interface Check {
  account_id: string;
  ok: boolean;
  caption_length: number;
  caption_limit: number;
  problems: { path: string; message: string }[];
}
interface Draft {
  id: string;
  plan_hash: string;
  checks: Check[];
  warnings: { message: string }[];
}
interface Media {
  name: string;
  type: string;
  url: string;
}
const form = document.querySelector<HTMLFormElement>("#composer");
if (form) startComposer(form);

function startComposer(form: HTMLFormElement): void {
  const find = <Of extends HTMLElement>(id: string) => form.querySelector<Of>(`#${id}`) as Of;
  const base = form.dataset.base ?? "";
  const api = `${base}/api`;
  const caption = find<HTMLTextAreaElement>("caption");
  const problem = find("problem");
  const result = find("result");
  const media: Media[] = readDraftMedia();
  let uploading = 0;
  let draftIds = form.dataset.draft ? [form.dataset.draft] : [];

  const listAccounts = () => [...form.querySelectorAll<HTMLInputElement>("input[name=account]")];
  const listChosen = () => listAccounts().filter((box) => box.checked);
  const isOwnTikTok = (box: HTMLInputElement) => box.dataset.platform === "tiktok" && box.dataset.type === "byo";

  function readDraftMedia(): Media[] {
    const stored = JSON.parse(form.dataset.media ?? "null") as { type: string; url?: string; urls?: string[] } | null;
    const type = stored?.type === "video" ? "video/mp4" : "image/jpeg";
    return (stored?.urls ?? (stored?.url ? [stored.url] : [])).map((url) => ({
      name: url.split("/").at(-1) ?? "",
      type,
      url,
    }));
  }

  function countCaption(unit: string | undefined): number {
    const text = caption.value;
    if (unit === "utf8_bytes") return new TextEncoder().encode(text).length;
    if (unit === "utf16") return text.length;
    const segments = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
    if (unit === "graphemes") return segments.length;
    const isEmoji = (segment: string) => /\p{Extended_Pictographic}/u.test(segment);
    if (unit === "emoji_as_bytes")
      return segments.reduce((sum, one) => sum + (isEmoji(one) ? new TextEncoder().encode(one).length : one.length), 0);
    // X: a link counts 23, and what is not Latin counts 2; the check counts exactly.
    const links = text.match(/https?:\/\/\S+/g) ?? [];
    const rest = links.reduce((left, link) => left.replace(link, ""), text);
    const weigh = (segment: string) => (isEmoji(segment) || (segment.codePointAt(0) ?? 0) > 0x10ff ? 2 : 1);
    return (
      links.length * 23 + [...new Intl.Segmenter().segment(rest)].reduce((sum, { segment }) => sum + weigh(segment), 0)
    );
  }

  function show(): void {
    const chosen = listChosen();
    const platforms = new Set(
      chosen.map((box) =>
        isOwnTikTok(box) ? "tiktok" : box.dataset.platform === "tiktok" ? "" : box.dataset.platform,
      ),
    );
    for (const part of form.querySelectorAll<HTMLElement>("[data-for]")) part.hidden = !platforms.has(part.dataset.for);
    const counts = new Map(chosen.map((box) => [box.dataset.name ?? "", box.dataset]));
    find("counts").replaceChildren(
      ...[...counts].map(([name, { unit, limit }]) => {
        const item = document.createElement("li");
        const count = countCaption(unit);
        item.textContent = `${name} ${count} / ${limit}`;
        item.classList.toggle("over", count > Number(limit));
        return item;
      }),
    );
    const isVideo = media[0]?.type.startsWith("video/") ?? true;
    for (const part of form.querySelectorAll<HTMLElement>("[data-video]")) part.hidden = !isVideo;
    find("tiktok-accounts").textContent = chosen
      .filter(isOwnTikTok)
      .map(({ dataset }) => dataset.username)
      .join(", ");
    const commercial = find<HTMLInputElement>("tiktok-commercial").checked;
    const branded = commercial && find<HTMLInputElement>("tiktok-branded").checked;
    find("tiktok-disclosure").hidden = !commercial;
    const privacy = find<HTMLSelectElement>("tiktok-privacy");
    for (const option of privacy.options) if (option.value === "SELF_ONLY") option.disabled = branded;
    if (branded && privacy.value === "SELF_ONLY") privacy.value = "";
    const consent = find("consent");
    consent.hidden = !platforms.has("tiktok");
    const policy = branded
      ? "TikTok's Branded Content Policy and Music Usage Confirmation"
      : "TikTok's Music Usage Confirmation";
    consent.textContent = `By posting, you agree to ${policy}.`;
    find("publish").textContent = find<HTMLInputElement>("at").value ? "Schedule" : "Publish";
  }

  function showMedia(): void {
    find("uploads").replaceChildren(
      ...media.map((one, at) => {
        const item = document.createElement("li");
        const preview = document.createElement(one.type.startsWith("video/") ? "video" : "img");
        preview.src = one.url;
        preview.className = "thumbnail";
        if (preview instanceof HTMLVideoElement) preview.muted = true;
        const remove = document.createElement("button");
        remove.type = "button";
        remove.textContent = "Remove";
        remove.setAttribute("aria-label", `Remove ${one.name}`);
        remove.addEventListener("click", () => {
          media.splice(at, 1);
          showMedia();
        });
        const name = document.createElement("span");
        name.textContent = one.name;
        item.append(preview, name, remove);
        return item;
      }),
    );
    show();
  }

  async function addFiles(files: Iterable<File>): Promise<void> {
    problem.textContent = "";
    for (const file of files) {
      if (file.type.startsWith("video/") ? media.length > 0 : media.some(({ type }) => type.startsWith("video/"))) {
        problem.textContent = "A post has one video or up to 35 images, not both. Remove the other media first.";
        return;
      }
      const item = document.createElement("li");
      const bar = document.createElement("progress");
      bar.max = 1;
      bar.setAttribute("aria-label", `Upload of ${file.name}`);
      const note = document.createElement("span");
      note.textContent = file.name;
      item.append(note, bar);
      find("uploads").append(item);
      uploading += 1;
      try {
        const report = await uploadFile(api, file, (fraction, text) => {
          bar.value = fraction;
          note.textContent = `${file.name} ${Math.round(fraction * 100)} % ${text}`;
        });
        media.push({ name: file.name, type: file.type, url: report.file.url });
      } catch (error) {
        problem.textContent = `${file.name}: ${(error as Error).message}`;
      } finally {
        uploading -= 1;
        item.remove();
      }
    }
    showMedia();
  }

  function buildMedia(): object | null {
    const [first] = media;
    if (!first) return null;
    if (first.type.startsWith("video/")) return { type: "video", url: first.url };
    return { type: "slideshow", urls: media.map(({ url }) => url) };
  }

  function readTikTok(): object {
    const checked = (id: string) => find<HTMLInputElement>(id).checked;
    const isVideo = media[0]?.type.startsWith("video/") ?? false;
    const commercial = checked("tiktok-commercial");
    return {
      privacy_level: find<HTMLSelectElement>("tiktok-privacy").value,
      disable_comment: !checked("tiktok-comment"),
      ...(isVideo ? { disable_duet: !checked("tiktok-duet"), disable_stitch: !checked("tiktok-stitch") } : {}),
      is_commercial: commercial,
      is_your_brand: commercial && checked("tiktok-own"),
      is_branded_content: commercial && checked("tiktok-branded"),
      user_consent: true,
    };
  }

  /** TikTok's settings are for posts to TikTok alone, so its accounts get a post of their own. */
  function buildPosts(): object[] {
    const at = find<HTMLInputElement>("at").value;
    const shared = {
      caption: caption.value,
      media: buildMedia(),
      ...(at ? { scheduled_at: new Date(at).toISOString() } : {}),
    };
    const [tiktok, others] = [listChosen().filter(isOwnTikTok), listChosen().filter((box) => !isOwnTikTok(box))];
    const platforms = new Set(others.map(({ dataset }) => dataset.platform));
    const value = (id: string) => find<HTMLInputElement>(id).value;
    const toIds = (boxes: HTMLInputElement[]) => boxes.map((box) => ({ id: box.value }));
    const youtube = {
      ...(value("youtube-title") ? { title: value("youtube-title") } : {}),
      privacy: value("youtube-privacy"),
      selfDeclaredMadeForKids: find<HTMLInputElement>("youtube-kids").checked ? "yes" : "no",
    };
    const pinterest = {
      ...(value("pinterest-board") ? { board_id: value("pinterest-board") } : {}),
      ...(value("pinterest-title") ? { title: value("pinterest-title") } : {}),
      ...(value("pinterest-link") ? { link: value("pinterest-link") } : {}),
    };
    return [
      ...(tiktok.length > 0 ? [{ ...shared, accounts: toIds(tiktok), tiktok: readTikTok() }] : []),
      ...(others.length > 0
        ? [
            {
              ...shared,
              accounts: toIds(others),
              ...(platforms.has("youtube") ? { settings: { youtube } } : {}),
              ...(platforms.has("pinterest") ? { pinterest } : {}),
            },
          ]
        : []),
    ];
  }

  function findMistake(): string {
    const chosen = listChosen();
    if (uploading > 0) return "Wait until the upload is done.";
    if (chosen.length === 0) return "Choose at least one account.";
    if (!chosen.some(isOwnTikTok)) return "";
    if (!find<HTMLSelectElement>("tiktok-privacy").value) return "Choose who can view the post on TikTok.";
    const discloses = find<HTMLInputElement>("tiktok-commercial").checked;
    const chose = find<HTMLInputElement>("tiktok-own").checked || find<HTMLInputElement>("tiktok-branded").checked;
    return discloses && !chose ? "Say whether the post promotes your brand, a third party, or both." : "";
  }

  /** Stores the drafts, those of an earlier check first, and shows what the networks would say. */
  async function saveDrafts(): Promise<Draft[]> {
    const posts = buildPosts();
    const drafts = await Promise.all(
      posts.map((post, at) =>
        draftIds[at]
          ? callApi<Draft>(api, "PATCH", `/posts/${draftIds[at]}`, post)
          : callApi<Draft>(api, "POST", "/posts/prepare", post, crypto.randomUUID()),
      ),
    );
    const surplus = draftIds.slice(posts.length);
    if (surplus.length > 0) await callApi(api, "POST", "/posts/delete", { post_ids: surplus });
    draftIds = drafts.map(({ id }) => id);
    return drafts;
  }

  function showChecks(drafts: Draft[]): boolean {
    const checks = drafts.flatMap((draft) => draft.checks);
    const heading = document.createElement("h2");
    const isFine = checks.every(({ ok }) => ok);
    heading.textContent = isFine ? "Everything fits" : "This has to change first";
    const list = document.createElement("ul");
    list.className = "checks";
    for (const check of checks) {
      const box = listAccounts().find(({ value }) => value === check.account_id);
      const item = document.createElement("li");
      item.className = check.ok ? "ok" : "bad";
      const reasons = check.problems.map(({ message }) => message).join(" ");
      item.textContent = `${box?.dataset.name} ${box?.dataset.username}: ${check.ok ? "fits" : reasons}`;
      list.append(item);
    }
    for (const { message } of drafts.flatMap(({ warnings }) => warnings)) {
      const item = document.createElement("li");
      item.textContent = message;
      list.append(item);
    }
    result.replaceChildren(heading, list);
    result.hidden = false;
    return isFine;
  }

  async function submit(publish: boolean): Promise<void> {
    problem.textContent = findMistake();
    if (problem.textContent) return;
    const drafts = await saveDrafts();
    if (!showChecks(drafts) || !publish) return;
    for (const { id, plan_hash } of drafts) {
      await callApi(api, "POST", `/posts/${id}/commit`, { plan_hash }, crypto.randomUUID());
      draftIds = draftIds.filter((one) => one !== id);
    }
    location.assign(`${base}/queue`);
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const buttons = form.querySelectorAll<HTMLButtonElement>(".submit button");
    for (const button of buttons) button.disabled = true;
    await submit((event.submitter as HTMLButtonElement | null)?.value === "publish").catch((error: Error) => {
      problem.textContent = error.message;
    });
    for (const button of buttons) button.disabled = false;
  });
  form.addEventListener("input", show);
  find<HTMLInputElement>("files").addEventListener("change", (event) => {
    const input = event.target as HTMLInputElement;
    void addFiles([...(input.files ?? [])]).then(() => {
      input.value = "";
    });
  });
  const drop = find("drop");
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    void addFiles([...(event.dataTransfer?.files ?? [])]);
  });
  restoreSettings();
  showMedia();

  /** What a stored draft has chosen. */
  function restoreSettings(): void {
    const read = (text: string | undefined) => JSON.parse(text ?? "null") as Record<string, unknown> | null;
    const [tiktok, pinterest] = [read(form.dataset.tiktok), read(form.dataset.pinterest)];
    const youtube = read(form.dataset.settings)?.youtube as Record<string, unknown> | undefined;
    const check = (id: string, on: unknown) => {
      find<HTMLInputElement>(id).checked = on === true;
    };
    const fill = (id: string, text: unknown) => {
      if (typeof text === "string") find<HTMLInputElement>(id).value = text;
    };
    if (tiktok) {
      fill("tiktok-privacy", tiktok.privacy_level);
      for (const what of ["comment", "duet", "stitch"]) check(`tiktok-${what}`, tiktok[`disable_${what}`] === false);
      check("tiktok-commercial", tiktok.is_commercial);
      check("tiktok-own", tiktok.is_your_brand);
      check("tiktok-branded", tiktok.is_branded_content);
    }
    fill("youtube-title", youtube?.title);
    fill("youtube-privacy", youtube?.privacy);
    check("youtube-kids", youtube?.selfDeclaredMadeForKids === "yes");
    fill("pinterest-board", pinterest?.board_id);
    fill("pinterest-title", pinterest?.title);
    fill("pinterest-link", pinterest?.link);
  }
}
