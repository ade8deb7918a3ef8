import assert from "node:assert/strict";
import type { Page } from "playwright";
import { readUi } from "../../routes/ui.ts";
import { assertAccessible, inBrowser, picture, type Viewer } from "../kit/browser.ts";
import { PASSWORD, type TestRouter, testRouter } from "../kit/router.ts";

const TABLET = "02:00:5e:00:53:01";
const LAPTOP = "02:00:5e:00:53:02";
const NEWCOMER = "02:00:5e:00:53:03";
const DIST = new URL("../../ui/dist", import.meta.url).pathname;
const device = (identity: string) => `/admin/devices/${encodeURIComponent(identity)}`;

/** The whole management plane behind a browser that sits on the laptop. */
async function atHome(
  test: (stage: Viewer & { readonly router: TestRouter }) => Promise<void>,
): Promise<void> {
  const app = { ui: await readUi(DIST), versions: { api: "0.3.0", program: "0.0.0" } };
  await using router = await testRouter({ app: { ...app, names: () => new Set() } });
  const put = (identity: string, Name: string, Policies: string[]) =>
    router.ask("PUT", `/device?identity=${identity}`, {
      body: { Name, MAC: identity, Policies, Groups: [] },
    });
  await put(TABLET, "Tablet", ["wan", "dns", "noapi"]);
  await put(LAPTOP, "Laptop", ["wan", "dns", "lan"]);
  for (const MAC of [TABLET, LAPTOP, NEWCOMER]) {
    const Iface = MAC === LAPTOP ? "lan1" : "lan0";
    const sent = { MAC, Identifier: MAC, Name: "newcomer", Iface, Router: "" };
    const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", sent);
    assert.equal(lease.status, 200, await lease.text());
  }
  const devices = await router.json<Record<string, { RecentIP: string }>>("GET", "/devices");
  const source = devices[LAPTOP]?.RecentIP ?? "";
  const peer = { source, port: 40000, local: { address: "192.168.2.1", port: 80 }, tls: false };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => router.external.fetch(request, { peer }),
  );
  try {
    const origin = `http://127.0.0.1:${server.addr.port}`;
    await inBrowser({ origin, password: PASSWORD }, (viewer) => test({ ...viewer, router }));
  } finally {
    await server.shutdown();
  }
}

const toggle = (page: Page, name: string) => page.getByRole("switch", { name, exact: true });

Deno.test("with the whole router: a newcomer waits, is given the Internet, and Undo takes it back", async () => {
  await atHome(async ({ open, router }) => {
    const page = await open();
    await page.getByText("Live").waitFor();
    await page.getByText("Nothing is applied.").waitFor();
    const row = page.locator("tbody tr").first();
    assert.match(await row.innerText(), /newcomer\s+Nothing yet/);
    await row.getByRole("link").click();
    await toggle(page, "Internet").click();
    await page.getByText("newcomer to Internet").waitFor();
    await assertAccessible(page);
    await picture(page, "router-preview");
    await page.getByRole("button", { name: "Switch on Internet" }).click();
    await page.locator('[aria-label="Internet"][aria-checked="true"]').waitFor();
    const policies = async () =>
      (await router.json<Record<string, { Policies: string[] }>>("GET", "/devices"))[NEWCOMER]
        ?.Policies.toSorted();
    assert.deepEqual(await policies(), ["noapi", "wan"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator('[aria-label="Internet"][aria-checked="false"]').waitFor();
    assert.deepEqual(await policies(), ["noapi"]);
    await page.getByRole("link", { name: "Changes" }).first().click();
    await page.locator(".log a").first().click();
    await page.getByText('"Policies": "wan"').waitFor();
    await assertAccessible(page);
  });
});

Deno.test("with the whole router: what would lock the browser out runs as a trial, and is undone", async () => {
  await atHome(async ({ open, router }) => {
    const page = await open({ path: device(LAPTOP) });
    await toggle(page, "Router admin").click();
    await page.getByText("This would lock you out.").waitFor();
    await page.getByRole("button", { name: "Try for 90 s" }).click();
    await page.getByText("is applied as a trial").waitFor();
    await picture(page, "router-trial");
    await page.getByRole("button", { name: "Undo now" }).click();
    await page.getByRole("region", { name: "Change on trial" }).waitFor({ state: "detached" });
    const { window } = await router.json<{ window: unknown }>("GET", "/changes/window");
    assert.equal(window, null);
    await page.locator('[aria-label="Router admin"][aria-checked="true"]').waitFor();
  });
});

Deno.test("with the whole router: a device that someone else changed is previewed anew", async () => {
  await atHome(async ({ open, router }) => {
    const page = await open({ path: device(TABLET) });
    await toggle(page, "Internet").click();
    await page.getByText("Who loses access").waitFor();
    await router.ask("PUT", `/device?identity=${TABLET}`, { body: { Policies: ["wan", "lan"] } });
    await page.getByRole("button", { name: "Switch off Internet" }).click();
    await page.getByText("Someone else changed it a moment ago.").waitFor();
    await page.getByRole("button", { name: "Switch off Internet" }).click();
    await page.locator('[aria-label="Internet"][aria-checked="false"]').waitFor();
    const devices = await router.json<Record<string, { Policies: string[] }>>("GET", "/devices");
    assert.deepEqual(devices[TABLET]?.Policies, ["lan"]);
  });
});

Deno.test("with the whole router: a refused name stands at its field, a new group at its list", async () => {
  await atHome(async ({ open }) => {
    const page = await open({ path: "/admin/groups" });
    await page.getByLabel("Name", { exact: true }).fill("wan");
    await page.getByRole("button", { name: "Make group" }).click();
    await page.getByText("This is the name of a policy").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("work");
    await page.getByRole("button", { name: "Make group" }).click();
    await page.getByRole("switch", { name: "work is on" }).waitFor();
  });
});
