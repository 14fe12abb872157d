// The files pages: folders, what is done with chosen files, the page of one file, and a large library.
import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { DEMO_VIDEO, uploadFile as uploadBytes } from "../files/upload-file.ts";
import { createTestAccount, createTestTenant, openTestDatabase, type Tenant } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { type Browser, signInMember, signInOwner } from "./dashboard.ts";

let demo: Uint8Array;

beforeAll(async () => {
  demo = await readFile(DEMO_VIDEO);
});

async function setUp() {
  const tenant = await createTestTenant();
  const browser = await signInMember(tenant, "editor");
  return { tenant, browser, base: `/dashboard/${tenant.workspaceId}/files` };
}

async function upload({ api }: Tenant): Promise<{ id: string; url: string; filename: string }> {
  const { body } = await uploadBytes(api, "video/mp4", demo);
  return body.data.file;
}

async function createFolder({ api }: Tenant, name: string, parent: string | null = null): Promise<string> {
  const body = { name, media_type: "upload", parent_folder_id: parent };
  return (await api.post("/folders", body)).body.data.id;
}

const listItems = async ({ api }: Tenant, folderId: string): Promise<string[]> =>
  (await api.get(`/folders/${folderId}/items`)).body.data.items.map(({ id }: { id: string }) => id);

/** Sends a form, and returns what the page after it says. */
async function send(browser: Browser, path: string, form: [string, string][]): Promise<string> {
  const sent = await browser.visit(path, { form: new URLSearchParams(form) });
  expect(sent.status).toBe(303);
  const page = await browser.visit(sent.headers.get("location") ?? "");
  expect(page.status).toBe(200);
  return page.text.match(/class="notice[^>]*>\s*<p>([^<]*)/)?.[1] ?? "";
}

test("an empty library is the place to drop files on, and shows the files, their storage and folders later", async () => {
  const { tenant, browser, base } = await setUp();
  const empty = await browser.visit(base);
  expect(empty.text).toContain("Drop videos and pictures here");
  const file = await upload(tenant);
  await createFolder(tenant, "Autumn & wool");
  const page = await browser.visit(base);
  expect(page.text).toContain(`href="${base}/${file.id}"`);
  expect(page.text).toContain("Autumn &amp; wool");
  expect(page.text).toMatch(/1 file, 2\d\d KB used in this workspace/);
  expect(page.text).toContain(`data-src="${file.url}"`);
});

test("a folder is created, renamed and opened with the way to it; a name that is taken is said to be", async () => {
  const { tenant, browser, base } = await setUp();
  expect(await send(browser, `${base}/folders`, [["name", "  Autumn  "]])).toBe("The folder Autumn is there.");
  expect(await send(browser, `${base}/folders`, [["name", "AUTUMN"]])).toContain("a folder with this name already");
  expect(await send(browser, `${base}/folders`, [["name", "  "]])).toContain("Enter a name");
  const [autumn] = (await tenant.api.get("/folders")).body.data.folders;
  const inner = [
    ["name", "Pier"],
    ["parent", autumn.id],
  ] as [string, string][];
  await send(browser, `${base}/folders`, inner);
  const [pier] = (await tenant.api.get(`/folders?parent_folder_id=${autumn.id}`)).body.data.folders;
  expect(await send(browser, `${base}/folders/${pier.id}/name`, [["name", "Harbour"]])).toContain("new name");
  const page = await browser.visit(`${base}?folder=${pier.id}`);
  expect(page.text).toContain("<h1>Harbour</h1>");
  expect(page.text).toContain(`href="${base}?folder=${autumn.id}"`);
  await createFolder(tenant, "Winter", autumn.id);
  expect(await send(browser, `${base}/folders/${pier.id}/name`, [["name", "winter"]])).toContain("already");
  expect((await tenant.api.get(`/folders/${pier.id}`)).body.data.name).toBe("Harbour");
});

test("chosen files and folders are moved into a folder, to another, and back out", async () => {
  const { tenant, browser, base } = await setUp();
  const [first, second] = [await upload(tenant), await upload(tenant)];
  const [autumn, pier] = [await createFolder(tenant, "Autumn"), await createFolder(tenant, "Pier")];
  const chosen: [string, string][] = [
    ["file", first.id],
    ["file", second.id],
  ];
  const into: [string, string][] = [...chosen, ["subfolder", pier], ["to", autumn]];
  expect(await send(browser, `${base}/move`, into)).toBe("2 files and 1 folder moved.");
  expect(await listItems(tenant, autumn)).toHaveLength(2);
  const root = await browser.visit(base);
  expect(root.text).not.toContain(`data-file="${first.id}"`);
  expect((await browser.visit(`${base}?in=all`)).text).toContain(first.id);
  expect((await browser.visit(`${base}?folder=${autumn}`)).text).toContain(`data-folder="${pier}"`);

  await send(browser, `${base}/move`, [
    ["file", first.id],
    ["from", autumn],
    ["to", pier],
  ]);
  expect(await listItems(tenant, autumn)).toEqual([second.id]);
  expect(await listItems(tenant, pier)).toEqual([first.id]);
  await send(browser, `${base}/move`, [
    ["file", first.id],
    ["from", pier],
    ["to", ""],
  ]);
  expect(await listItems(tenant, pier)).toEqual([]);
  expect((await browser.visit(base)).text).toContain(`data-file="${first.id}"`);
  const intoItself: [string, string][] = [
    ["subfolder", autumn],
    ["to", pier],
  ];
  expect(await send(browser, `${base}/move`, intoItself)).toContain("cannot go into itself");
});

test("files that are moved out of a search, or on their own page, leave every folder that had them", async () => {
  const { tenant, browser, base } = await setUp();
  const [first, second] = [await upload(tenant), await upload(tenant)];
  const names = ["Autumn", "Pier", "Boats"];
  const [autumn = "", pier = "", boats = ""] = await Promise.all(names.map((name) => createFolder(tenant, name)));
  await tenant.api.post(`/folders/${autumn}/items`, { item_ids: [first.id] });
  await tenant.api.post(`/folders/${pier}/items`, { item_ids: [first.id, second.id] });
  expect((await browser.visit(`${base}?in=all&folder=${pier}`)).text).not.toContain('name="from" value');
  await send(browser, `${base}/move`, [
    ["file", first.id],
    ["file", second.id],
    ["to", boats],
  ]);
  expect((await listItems(tenant, boats)).toSorted()).toEqual([first.id, second.id].toSorted());
  for (const folder of [autumn, pier]) expect(await listItems(tenant, folder)).toEqual([]);
  await send(browser, `${base}/move`, [
    ["file", first.id],
    ["to", boats],
  ]);
  expect(await listItems(tenant, boats)).toHaveLength(2);
});

test("without its script, a search or a sorted folder is there again after a move and a deletion", async () => {
  const { tenant, browser, base } = await setUp();
  const [file, folder] = [await upload(tenant), await createFolder(tenant, "Boats")];
  await tenant.api.post(`/folders/${folder}/items`, { item_ids: [file.id] });
  for (const query of [`?q=${file.filename}&type=video`, `?folder=${folder}&sort=name`, ""]) {
    const { text } = await browser.visit(`${base}${query}`);
    const [, move = ""] = text.match(/<form id="chosen" method="post" action="([^"]*)"/) ?? [];
    const [, remove = ""] = text.match(/formaction="([^"]*delete[^"]*)"/) ?? [];
    for (const action of [move, remove]) {
      const answer = await browser.visit(action.replaceAll("&amp;", "&"), { form: {} });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, `${base}${query}`]);
    }
  }
});

test("deleting keeps what an unpublished post uses, and names it; a deleted folder leaves its files", async () => {
  const { tenant, browser, base } = await setUp();
  const [used, free] = [await upload(tenant), await upload(tenant)];
  const account = await createTestAccount(tenant, "instagram");
  const media = { type: "video", url: used.url };
  const post = { caption: "The pier", accounts: [{ id: account.id }], media };
  expect((await tenant.api.post("/posts/prepare", post)).status).toBe(201);
  const autumn = await createFolder(tenant, "Autumn");
  await tenant.api.post(`/folders/${autumn}/items`, { item_ids: [used.id] });
  const chosen: [string, string][] = [
    ["file", used.id],
    ["file", free.id],
    ["subfolder", autumn],
  ];
  const notice = await send(browser, `${base}/delete`, chosen);
  expect(notice).toContain(`${used.filename}: kept, because a post that is not published yet uses it`);
  expect((await tenant.api.get(`/files/${free.id}`)).status).toBe(404);
  expect((await tenant.api.get(`/folders/${autumn}`)).status).toBe(404);
  expect((await browser.visit(base)).text).toContain(used.id);
  const page = await browser.visit(`${base}/${used.id}`);
  expect(page.text).toContain("The pier");
});

test("a name alone is no filter that is set, and a place that was chosen is", async () => {
  const { tenant, browser, base } = await setUp();
  await upload(tenant);
  const count = async (query: string) =>
    (await browser.visit(`${base}?${query}`)).text.match(/<summary>Filters( \(\d\))?<\/summary>/)?.[1]?.trim();
  expect(await count("q=pier")).toBeUndefined();
  expect(await count("q=pier&in=folder")).toBe("(1)");
  expect(await count("in=all")).toBe("(1)");
});

test("what somebody else deleted first does not keep the rest of the chosen", async () => {
  const { tenant, browser, base } = await setUp();
  const [spring, autumn] = [await createFolder(tenant, "Spring"), await createFolder(tenant, "Autumn")];
  await tenant.api.delete(`/folders/${spring}`);
  const chosen: [string, string][] = [
    ["subfolder", spring],
    ["subfolder", autumn],
  ];
  expect(await send(browser, `${base}/delete`, chosen)).toContain("2 folders deleted.");
  expect((await tenant.api.get(`/folders/${autumn}`)).status).toBe(404);
});

test("the page of a file has its facts in words, the networks that take it and where it is used", async () => {
  const { tenant, browser, base } = await setUp();
  const file = await upload(tenant);
  const folder = await createFolder(tenant, "Autumn");
  await tenant.api.post(`/folders/${folder}/items`, { item_ids: [file.id] });
  await tenant.api.post("/editor/projects", { title: "Gulls", file_ids: [file.id] });
  const { text } = await browser.visit(`${base}/${file.id}`);
  for (const words of ["MP4 video", "H.264", "AAC", "0:06", "pixels", "Instagram", "fits", "Gulls", "Autumn"])
    expect(text).toContain(words);
  expect(text).toContain(`/compose?file=${file.id}`);
  // Facts come from the verified bytes, and no request is named to a person.
  expect(text.replaceAll(/<[^>]+>/g, " ")).not.toMatch(/GET \/|POST \/|file_id|contentType/);
});

test("404 for files and folders of another workspace, on every page and action", async () => {
  const { browser, base } = await setUp();
  const other = await createTestTenant();
  const file = await upload(other);
  const folder = await createFolder(other, "Theirs");
  for (const path of [`${base}/${file.id}`, `${base}?folder=${folder}`, `${base}?folder=x`])
    expect([path, (await browser.visit(path)).status]).toEqual([path, 404]);
  const forms: [string, Record<string, string>][] = [
    ["/delete", { file: file.id }],
    ["/delete", { subfolder: folder }],
    ["/move", { subfolder: folder, to: "" }],
    ["/move", { file: file.id, to: folder }],
    ["/folders", { name: "a", parent: folder }],
    [`/folders/${folder}/name`, { name: "a" }],
  ];
  for (const [path, form] of forms)
    expect([path, (await browser.visit(`${base}${path}`, { form })).status]).toEqual([path, 404]);
  expect((await other.api.get(`/files/${file.id}`)).status).toBe(200);
  expect((await other.api.get(`/folders/${folder}`)).body.data.name).toBe("Theirs");
});

test("a viewer looks, and is offered nothing that changes files", async () => {
  const { tenant, base } = await setUp();
  const viewer = await signInMember(tenant, "viewer");
  await upload(tenant);
  const page = await viewer.visit(base);
  expect(page.status).toBe(200);
  expect(page.text).not.toMatch(/type="checkbox"|id="upload"|New folder/);
});

test("500 files: a page of 60 without pictures that nobody looks at, found by name, kind and order", async () => {
  const tenant = await createTestTenant();
  const browser = await signInOwner(tenant);
  const base = `/dashboard/${tenant.workspaceId}/files`;
  await openTestDatabase().execute(sql`
    insert into files (id, owner_id, workspace_id, object_key, url, kind, content_type, filename, size, sha256, width, height,
      duration_ms, has_video, has_audio, details, created_at)
    select gen_random_uuid(), ${tenant.ownerId}, ${tenant.workspaceId}, ${newId()} || n, 'https://cdn.example/' || ${newId()} || n,
      case when n % 3 = 0 then 'image' else 'video' end, case when n % 3 = 0 then 'image/jpeg' else 'video/mp4' end,
      'Shot ' || lpad(n::text, 3, '0'), n * 1000, 'x', case when n <= 7 then 1920 else 1080 end, case when n <= 9 then 1080 else 1920 end, case when n % 3 = 0 then null else 6000 end,
      n % 3 <> 0, false, '{}', now() - n * interval '1 minute'
    from generate_series(1, 500) n`);
  const requestId = newId();
  const visit = () => browser.visit(base, { headers: { "X-Request-Id": requestId } });
  const { result, cost } = await measureCost(requestId, visit);
  const names = (text: string) => [...text.matchAll(/class="name">(Shot \d+)/g)].map(([, name]) => name);
  expect(names(result.text)).toHaveLength(60);
  expect(names(result.text)[0]).toBe("Shot 001");
  expect(result.text).toContain("500 files");
  expect(cost.round_trips).toBeLessThanOrEqual(2);
  expect(result.text.length).toBeLessThan(100 * 1024);
  console.log(`A page of 500 files: ${Math.round(result.text.length / 1024)} KiB, ${cost.round_trips} round trips`);

  expect(names((await browser.visit(`${base}?from=480`)).text)).toHaveLength(20);
  expect(names((await browser.visit(`${base}?q=shot+4&type=image`)).text)[0]).toBe("Shot 402");
  expect(names((await browser.visit(`${base}?sort=largest`)).text)[0]).toBe("Shot 500");
  expect(names((await browser.visit(`${base}?shape=landscape`)).text)).toHaveLength(7);
  expect(names((await browser.visit(`${base}?shape=square`)).text)).toEqual(["Shot 008", "Shot 009"]);
  expect((await browser.visit(`${base}?q=nothing`)).text).toContain("No file matches");
  expect((await browser.visit(`${base}?source=ai`)).text).toContain("No file matches");
});

test("files of posts and files of none are told apart, with the filter in the address of the form", async () => {
  const { tenant, browser, base } = await setUp();
  const files = [await upload(tenant), await upload(tenant), await upload(tenant)];
  const account = await createTestAccount(tenant, "bluesky");
  const [used, own] = files.map(({ url }) => ({ type: "video", url }));
  const accounts = [{ id: account.id, media: own }];
  const scheduled_at = "2031-03-12T10:30:00.000Z";
  expect((await tenant.api.post("/posts", { caption: "With files", media: used, accounts, scheduled_at })).status).toBe(
    201,
  );
  const list = async (query: string) => {
    const { text } = await browser.visit(`${base}?${query}`);
    return [...text.matchAll(/data-file="([^"]+)"/g)].map(([, id]) => id).toSorted();
  };
  const ids = files.map(({ id }) => id);
  expect(await list("use=used")).toEqual(ids.slice(0, 2).toSorted());
  expect(await list("use=unused")).toEqual(ids.slice(2));
  expect(await list("use=else")).toEqual(ids.toSorted());
  const { text } = await browser.visit(`${base}?use=unused&type=video`);
  expect(text).toContain('<option value="unused" selected');
  expect(text).toContain("Filters (2)");
});
