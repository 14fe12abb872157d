// Products that slideshows can be about. No operation of the API changes them, so the actions write their own queries.
import type { FC } from "hono/jsx";
import { v7 as newId } from "uuid";
import * as z from "zod";
import {
  deleteProduct,
  insertProduct,
  listProducts,
  type ProductFields,
  updateProduct,
} from "../../../lib/queries/products.ts";
import { ActionForm } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { finishAction, hasRole, openAudited, PageError, requireId } from "../session.ts";
import { readEntries } from "../slideshows/read-entries.ts";

const MAX_NAME = 120;
const MAX_DESCRIPTION = 2_000;

interface Rejected {
  /** Null for a new product. */
  id: string | null;
  fields: { name: string; description: string };
  problem: string;
}

async function showProducts(c: PageContext, rejected?: Rejected): Promise<Response> {
  const { services, workspace } = c.var;
  const products = await listProducts(services.db, workspace.actor.scope);
  const canWrite = hasRole(workspace.role, "editor");
  const base = `/dashboard/${workspace.id}/products`;
  const isNewRejected = rejected?.id === null;
  return c.html(
    <Layout c={c} title="Products" active="products" scripts={["content"]}>
      <p class="lead">
        What you tell about a product here is used when the slides of a slideshow about it are written.
      </p>
      {rejected && (
        <p class="notice problem" role="alert">
          {rejected.problem}
        </p>
      )}
      {products.length === 0 && !canWrite && (
        <Empty title="No products yet">
          <p>An editor of {workspace.name} adds the first one here.</p>
        </Empty>
      )}
      {canWrite && (
        <details class="card" open={products.length === 0 || isNewRejected}>
          <summary>Add a product</summary>
          <ProductForm action={base} id="new" fields={isNewRejected ? rejected.fields : { name: "", description: "" }}>
            Add the product
          </ProductForm>
        </details>
      )}
      <ul class="records">
        {products.map((product) => (
          <ProductRecord
            product={product}
            canWrite={canWrite}
            base={base}
            rejected={rejected?.id === product.id ? rejected : undefined}
          />
        ))}
      </ul>
    </Layout>,
    rejected ? 400 : 200,
  );
}

interface RecordProps {
  product: ProductFields;
  canWrite: boolean;
  base: string;
  rejected: Rejected | undefined;
}

const ProductRecord: FC<RecordProps> = ({ product: { id, name, description }, canWrite, base, rejected }) => (
  <li class="card" data-id={id}>
    <h2>{name}</h2>
    {description && (
      <p class="caption" dir="auto">
        {description}
      </p>
    )}
    {canWrite && (
      <div class="row">
        <details class="more" open={rejected !== undefined}>
          <summary class="button">
            Change <span class="visually-hidden">{name}</span>
          </summary>
          <ProductForm
            action={`${base}/${id}`}
            id={id}
            fields={rejected?.fields ?? { name, description: description ?? "" }}
          >
            Save
          </ProductForm>
        </details>
        <ActionForm
          action={`${base}/${id}/delete`}
          question={`Delete ${name}? Slideshows about it stay.`}
          undo={`${name} is deleted.`}
          buttonClass="quiet"
        >
          Delete <span class="visually-hidden">{name}</span>
        </ActionForm>
      </div>
    )}
  </li>
);

const ProductForm: FC<{ action: string; id: string; fields: Rejected["fields"]; children: string }> = ({
  action,
  id,
  fields,
  children,
}) => (
  <form method="post" action={action} class="stack">
    <label for={`name-${id}`}>Name</label>
    <input id={`name-${id}`} name="name" value={fields.name} maxlength={MAX_NAME} required autocomplete="off" />
    <label for={`description-${id}`}>What it is, who it is for, what makes it special</label>
    <textarea id={`description-${id}`} name="description" maxlength={MAX_DESCRIPTION} rows={4}>
      {fields.description}
    </textarea>
    <button class="primary" type="submit">
      {children}
    </button>
  </form>
);

const Fields = z.object({
  name: z
    .string("Name: enter the name of the product.")
    .min(1, "Name: enter the name of the product.")
    .max(MAX_NAME, `Name: at most ${MAX_NAME} characters.`),
  description: z
    .string()
    .max(MAX_DESCRIPTION, `Description: at most ${MAX_DESCRIPTION} characters.`)
    .default("")
    .transform((text) => text || null),
});

async function readFields(c: PageContext, id: string | null) {
  const entries = await readEntries(c);
  const parsed = Fields.safeParse(entries);
  if (parsed.success) return { fields: parsed.data };
  const { name = "", description = "" } = entries;
  return { rejected: { id, fields: { name, description }, problem: parsed.error.issues[0]?.message ?? "" } };
}

async function create(c: PageContext): Promise<Response> {
  const { fields, rejected } = await readFields(c, null);
  if (rejected) return showProducts(c, rejected);
  const { ownerId, workspaceId } = c.var.workspace.actor.scope;
  await insertProduct(openAudited(c, "products.create"), { ownerId, workspaceId }, { id: newId(), ...fields });
  return finishAction(c, "products", `${fields.name} is added. Choose it when you make a slideshow.`);
}

async function change(c: PageContext): Promise<Response> {
  const id = requireId(c, "productId", "product");
  const { fields, rejected } = await readFields(c, id);
  if (rejected) return showProducts(c, rejected);
  const isChanged = await updateProduct(openAudited(c, "products.update"), c.var.workspace.actor.scope, {
    id,
    ...fields,
  });
  if (!isChanged) throw new PageError(404, "There is no such product in this workspace.");
  return finishAction(c, "products", `${fields.name} is saved.`);
}

async function remove(c: PageContext): Promise<Response> {
  const id = requireId(c, "productId", "product");
  const isDeleted = await deleteProduct(openAudited(c, "products.delete"), c.var.workspace.actor.scope, id);
  if (!isDeleted) throw new PageError(404, "There is no such product in this workspace.");
  return finishAction(c, "products", "The product is deleted. Slideshows about it stay.");
}

const ONE = "/products/:productId";

export const productPages: Page[] = [
  { id: "products.show", method: "GET", path: "/products", role: "viewer", handle: (c) => showProducts(c) },
  { id: "products.create", method: "POST", path: "/products", role: "editor", handle: create },
  { id: "products.update", method: "POST", path: ONE, role: "editor", handle: change },
  { id: "products.delete", method: "POST", path: `${ONE}/delete`, role: "editor", handle: remove },
];
