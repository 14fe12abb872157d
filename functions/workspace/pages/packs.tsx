// Packs: sets of pictures for the backgrounds of slides. The list, and one pack with all of its pictures.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import { findPackOwner } from "../../../lib/queries/packs.ts";
import type { Pack, PackList } from "../../../lib/schemas/pack.ts";
import { toApiError } from "../../../lib/shared/errors.ts";
import addPackImage from "../../packs/add-image.ts";
import createPack from "../../packs/create.ts";
import deletePack from "../../packs/delete.ts";
import getPack from "../../packs/get.ts";
import listPacks from "../../packs/list.ts";
import removePackImage from "../../packs/remove-image.ts";
import updatePack from "../../packs/update.ts";
import { ActionForm, Pager } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { hasRole, requireId } from "../session.ts";
import { finishWithSentence, readEntries, requireSentence } from "../slideshows/read-entries.ts";

const PAGE_SIZE = 24;
const MAX_NAME = 120;
/** Each is fetched before the page answers. */
const MAX_ADDRESSES = 20;
const SHOWN_IMAGES = 4;

type Shown = z.output<typeof Pack>;

async function showPacks(c: PageContext): Promise<Response> {
  const { workspace } = c.var;
  const cursor = c.req.query("cursor");
  const query = { limit: String(PAGE_SIZE), ...(cursor ? { cursor } : {}) };
  const { packs, next_cursor } = await runOperation<z.output<typeof PackList>>(c, listPacks, { query });
  const base = `/dashboard/${workspace.id}/packs`;
  const canWrite = hasRole(workspace.role, "editor");
  // Packs of everybody are no reason to hide how to make one.
  const hasNone = packs.every(({ is_public }) => is_public);
  return c.html(
    <Layout c={c} title="Packs" active="packs">
      <p class="lead">
        A pack is a set of pictures. A slideshow that is made with a pack takes its backgrounds from there.
      </p>
      {hasNone && !canWrite && (
        <Empty title="No packs yet">
          <p>An editor of {workspace.name} makes the first one here.</p>
        </Empty>
      )}
      {canWrite && (
        <details class="card" open={hasNone}>
          <summary>New pack</summary>
          <form method="post" action={base} class="stack">
            <label for="name">Name</label>
            <input
              id="name"
              name="name"
              maxlength={MAX_NAME}
              required
              placeholder="Calm interiors"
              autocomplete="off"
            />
            <button class="primary" type="submit">
              Make the pack
            </button>
          </form>
        </details>
      )}
      <ul class="gallery large">
        {packs.map(({ id, name, images, image_count, is_public }) => (
          <li class="card">
            <a href={`${base}/${id}`} data-deeper>
              <span class="mosaic">
                {images.slice(0, SHOWN_IMAGES).map(({ url }) => (
                  <img src={url} alt="" loading="lazy" />
                ))}
                {images.length === 0 && <span class="unrendered">no pictures yet</span>}
              </span>
              <strong>{name}</strong>
            </a>
            <p class="hint">
              {image_count} {image_count === 1 ? "picture" : "pictures"}
              {is_public && " · public"}
            </p>
          </li>
        ))}
      </ul>
      {next_cursor && <Pager query={{ cursor: next_cursor }}>Older packs</Pager>}
    </Layout>,
  );
}

const requirePackId = (c: PageContext) => requireId(c, "packId", "pack");

async function showPack(c: PageContext, rejected?: { addresses: string; problem: string }): Promise<Response> {
  const packId = requirePackId(c);
  const { services, workspace } = c.var;
  const [pack, owner] = await Promise.all([
    runOperation<Shown>(c, getPack, { params: { packId } }),
    findPackOwner(services.db, workspace.actor.scope, packId),
  ]);
  const base = `/dashboard/${workspace.id}`;
  const canWrite = hasRole(workspace.role, "editor") && owner?.mine === true;
  const { name, images, image_count, is_public } = pack;
  return c.html(
    <Layout c={c} title={name} active="packs" scripts={["content", "packs"]}>
      {rejected && (
        <p class="notice problem" role="alert">
          {rejected.problem}
        </p>
      )}
      <div id="pack" data-base={base} data-id={packId} data-record={`${base}/packs`}>
        <p class="hint" data-part="count">
          {image_count} {image_count === 1 ? "picture" : "pictures"}
          {is_public && " · public: everybody on this service can use it"}
          {owner?.mine === false && " · it belongs to somebody else, so you can use it and not change it"}
        </p>
        {canWrite && <AddPictures base={base} id={packId} addresses={rejected?.addresses ?? ""} />}
        {images.length === 0 && !canWrite && (
          <Empty title="No pictures yet">
            <p>There is nothing in this pack.</p>
          </Empty>
        )}
        <ul class="gallery" data-part="images">
          {images.map(({ id, url, file_name, width, height }) => (
            <li class="card">
              <img src={url} alt={file_name} loading="lazy" />
              <p class="hint">
                {file_name} · {width} × {height}
              </p>
              {canWrite && (
                <ActionForm
                  action={`${base}/packs/${packId}/images/${id}/delete`}
                  question={`Take ${file_name} out of the pack?`}
                  undo={`${file_name} is out of the pack.`}
                  buttonClass="quiet"
                >
                  Remove <span class="visually-hidden">{file_name}</span>
                </ActionForm>
              )}
            </li>
          ))}
        </ul>
        {canWrite && <PackForms base={base} id={packId} pack={pack} />}
      </div>
    </Layout>,
    rejected ? 422 : 200,
  );
}

const AddPictures: FC<{ base: string; id: string; addresses: string }> = ({ base, id, addresses }) => (
  <section class="card" aria-labelledby="add-title">
    <h2 id="add-title">Add pictures</h2>
    <div class="row">
      <button type="button" id="choose-images" class="primary" disabled>
        Upload or choose pictures
      </button>
      <progress id="adding" max="1" value="0" aria-label="Adding the pictures" hidden />
    </div>
    <p id="adding-state" class="hint" role="status" />
    <p id="adding-problem" class="problem" role="alert" />
    <details class="more" open={addresses !== ""}>
      <summary>By their addresses on the web</summary>
      <form method="post" action={`${base}/packs/${id}/images`} class="stack wide">
        <label for="addresses">Addresses, one on each line</label>
        <textarea id="addresses" name="addresses" rows={3} required placeholder="https://example.com/picture.jpg">
          {addresses}
        </textarea>
        <button type="submit">Add them</button>
      </form>
    </details>
  </section>
);

const PackForms: FC<{ base: string; id: string; pack: Shown }> = ({ base, id, pack: { name } }) => (
  <div class="row">
    <details class="more">
      <summary class="button">Rename</summary>
      <form method="post" action={`${base}/packs/${id}`} class="stack">
        <label for="name">Name</label>
        <input id="name" name="name" value={name} maxlength={MAX_NAME} required />
        <button type="submit">Save the name</button>
      </form>
    </details>
    <ActionForm
      action={`${base}/packs/${id}/delete`}
      question={`Delete ${name} with its list of pictures? Slideshows keep theirs.`}
      undo={`${name} deleted. Slideshows keep their pictures.`}
      buttonClass="danger"
    >
      Delete the pack
    </ActionForm>
  </div>
);

async function create(c: PageContext): Promise<Response> {
  const { name = "" } = await readEntries(c);
  return finishWithSentence(c, "packs", async () => {
    const { id } = await runOperation<Shown>(c, createPack, { body: { name } });
    return { path: `packs/${id}`, text: `${name} is made. Add pictures to it.` };
  });
}

async function rename(c: PageContext): Promise<Response> {
  const packId = requirePackId(c);
  const { name = "" } = await readEntries(c);
  const path = `packs/${packId}`;
  return finishWithSentence(c, path, async () => {
    await runOperation(c, updatePack, { params: { packId }, body: { name } });
    return { path, text: "The name is saved." };
  });
}

function remove(c: PageContext): Promise<Response> {
  const packId = requirePackId(c);
  return finishWithSentence(c, "packs", async () => {
    await runOperation(c, deletePack, { params: { packId } });
    return { path: "packs", text: "The pack is deleted. Slideshows keep their pictures." };
  });
}

/** Addresses that could not be added stay in the field, with the reason. */
async function addImages(c: PageContext): Promise<Response> {
  const packId = requirePackId(c);
  const { addresses = "" } = await readEntries(c);
  const urls = addresses.split(/\s+/).filter(Boolean).slice(0, MAX_ADDRESSES);
  const problems: string[] = [];
  const left: string[] = [];
  for (const image_url of urls) {
    try {
      await runOperation(c, addPackImage, { params: { packId }, body: { image_url } });
    } catch (error) {
      // The pack itself is not there, or not to be changed.
      if (["not_found", "forbidden_pack", "missing_permission"].includes(toApiError(error)?.code ?? "")) throw error;
      problems.push(`${image_url.slice(0, 100)}: ${requireSentence(error)}`);
      left.push(image_url);
    }
  }
  if (urls.length === 0) problems.push("Addresses: enter at least one, such as https://example.com/picture.jpg");
  if (problems.length > 0) return showPack(c, { addresses: left.join("\n"), problem: problems.join(" ") });
  return c.redirect(`/dashboard/${c.var.workspace.id}/packs/${packId}`, 303);
}

function removeImage(c: PageContext): Promise<Response> {
  const packId = requirePackId(c);
  const imageId = requireId(c, "imageId", "picture");
  const path = `packs/${packId}`;
  return finishWithSentence(c, path, async () => {
    await runOperation(c, removePackImage, { params: { packId, imageId } });
    return { path, text: "The picture is out of the pack." };
  });
}

const ONE = "/packs/:packId";

export const packPages: Page[] = [
  { id: "packs.show", method: "GET", path: "/packs", role: "viewer", handle: showPacks },
  { id: "packs.create", method: "POST", path: "/packs", role: "editor", handle: create },
  { id: "packs.show-one", method: "GET", path: ONE, role: "viewer", handle: (c) => showPack(c) },
  { id: "packs.update", method: "POST", path: ONE, role: "editor", handle: rename },
  { id: "packs.delete", method: "POST", path: `${ONE}/delete`, role: "editor", handle: remove },
  { id: "packs.add-image", method: "POST", path: `${ONE}/images`, role: "editor", handle: addImages },
  {
    id: "packs.remove-image",
    method: "POST",
    path: `${ONE}/images/:imageId/delete`,
    role: "editor",
    handle: removeImage,
  },
];
