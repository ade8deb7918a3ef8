import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";

const MESH = "/admin/mesh";
const PRINT = Array(32).fill("AB").join(":");
const LEAF = {
  ...{ IP: "192.168.2.14", Name: "Attic", Status: "synced", Problem: "", Version: "v0.0.0" },
  ...{ Relation: "same", ClockAhead: 0, Devices: 12, Notices: [], Fingerprint: PRINT },
  Stations: [{
    MAC: "02:00:5e:00:53:01",
    Name: "<b>Phone</b>",
    Iface: "wlan0",
    SSID: "home",
    RSSI: -61,
  }],
  Link: { Kind: "wireguard", Interface: "mesh-leaf1", State: "connected", Problem: "" },
  ContactAt: Date.now(),
};
const STATUS = {
  ...{ Role: "parent", TLS: true, Fingerprint: PRINT, HasLeafToken: false, ParentIP: "" },
  ...{ SyncedAt: 0, SyncedDevices: 0 },
  Leaves: [
    LEAF,
    {
      ...LEAF,
      ...{ IP: "192.168.2.18", Name: "", Status: "untrusted", Version: "", Relation: "unknown" },
      Problem: "Its certificate is not the one that it is trusted by",
      ...{ ClockAhead: 86_400, Stations: [], Link: { ...LEAF.Link, Kind: "vxlan", State: "away" } },
    },
  ],
};

Deno.test("Mesh explains itself where there is none, on desktop and phone", async () => {
  await onRouter({}, async ({ open }) => {
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: MESH, size, dark, signIn: true });
      await page.getByText("A leaf router serves Wi-Fi in another part").waitFor();
      await page.getByText("Turn HTTPS on first").waitFor();
      assert.equal(await page.getByRole("button", { name: "Make a token" }).isDisabled(), true);
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(
        page,
        `mesh-none-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await page.close();
    }
  });
});

Deno.test("Mesh lists leaf routers with state and clients, and what is wrong with them", async () => {
  await onRouter({}, async ({ open }) => {
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: "/admin", size, dark, signIn: true });
      await page.route("**/plugins/mesh/status", (route) => route.fulfill({ json: STATUS }));
      await page.goto(new URL(MESH, page.url()).href);
      await page.getByText("Attic").waitFor();
      await page.getByText("<b>Phone</b>").waitFor();
      await page.getByText("Another certificate: Its certificate is not the one").waitFor();
      await page.getByText("Clients on mesh-leaf1, encrypted (WireGuard)").waitFor();
      await page.getByText("not encrypted, interrupted").waitFor();
      await page.getByText("Its clock is 24 hours ahead").waitFor();
      await page.getByText("Certificate fingerprint").first().click();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `mesh-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`);
      await page.close();
    }
  });
});

Deno.test("Mesh counts devices and compares versions in German as well", async () => {
  const Leaves = [
    { ...LEAF, Version: "v9.0.0", Relation: "newer" },
    { ...LEAF, IP: "192.168.2.18", Version: "v0.0.0-1", Relation: "older", Devices: 1 },
  ];
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin", signIn: true, languages: ["de-DE"] });
    await page.route(
      "**/plugins/mesh/status",
      (route) => route.fulfill({ json: { ...STATUS, Leaves } }),
    );
    await page.goto(new URL(MESH, page.url()).href);
    await page.getByText("12 Geräte · v9.0.0, neuer als dieser Router").waitFor();
    await page.getByText("1 Gerät · v0.0.0-1, älter als dieser Router").waitFor();
  });
});

Deno.test("Mesh leads to the log of a leaf router, and the menu to the router's own", async () => {
  const PAGE_OF_LINES = 200;
  const lines = (before: number) =>
    Array.from({ length: PAGE_OF_LINES }, (_, n) => ({
      ...{ MESSAGE: `Leaf line ${before - n}`, PRIORITY: "6", CONTAINER_NAME: "leaf" },
      __REALTIME_TIMESTAMP: (before - n) * 1_000_000,
    }));
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin" });
    await page.route("**/plugins/mesh/status", (route) => route.fulfill({ json: STATUS }));
    const asked: string[] = [];
    await page.route("**/plugins/mesh/leafLogs*", (route) => {
      const { searchParams } = new URL(route.request().url());
      asked.push(searchParams.get("IP") ?? "");
      const before = Number(searchParams.get("before") ?? "1001000000") / 1_000_000;
      return route.fulfill({ json: lines(before - 1) });
    });
    await page.goto(new URL(MESH, page.url()).href);
    await page.locator(`main a[href*="leaf=${LEAF.IP}"]`).click();
    await page.getByText(`Of the leaf router ${LEAF.IP}`).waitFor();
    await page.getByText("Leaf line 1000", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByText("Leaf line 700", { exact: true }).waitFor();
    assert.deepEqual([...new Set(asked)], [LEAF.IP]);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Logs" })
      .click();
    await page.getByText("Services and kernel").waitFor();
    await page.getByText("Leaf line 1000", { exact: true }).waitFor({ state: "detached" });
    assert.equal(
      await page.getByRole("switch", { name: "Live" }).getAttribute("aria-checked"),
      "true",
    );
  });
});

Deno.test("a leaf router is looked at, and its devices are shown before they go", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: MESH });
    await page.route("**/plugins/mesh/probe", (route) =>
      route.fulfill({
        json: {
          ...{ IP: "192.168.2.14", Fingerprint: PRINT, Version: "v0.1.0", Relation: "newer" },
          ...{ LeafMode: false, ClockAhead: 0 },
          Lost: [{ Identity: "02:00:5e:00:53:09", Name: "Old tablet" }],
          Overlaps: ["192.168.2.0/24"],
        },
      }));
    const written: string[] = [];
    await page.route("**/plugins/mesh/leafRouter*", (route) => {
      const { Link } = route.request().postDataJSON();
      written.push(`${route.request().method()} ${new URL(route.request().url()).search} ${Link}`);
      return route.fulfill({
        status: 502,
        json: { title: "Bad gateway", status: 502, detail: "It is away" },
      });
    });
    await page.getByRole("button", { name: "Add leaf router" }).click();
    await page.getByRole("button", { name: "Check the router" }).click();
    await page.getByText("Enter the address of the router").waitFor();
    await page.getByText("its router port 443 must be open to the WAN").waitFor();
    await page.getByLabel("Address").fill("192.168.2.14");
    await page.getByLabel("Token").fill("some-token");
    await assertAccessible(page);
    await picture(page, "mesh-add");
    await page.getByRole("button", { name: "Check the router" }).click();
    await page.getByText("Old tablet").waitFor();
    await page.getByText("1 device of its own will go").waitFor();
    await page.getByText("Its LAN subnet 192.168.2.0/24 overlaps").waitFor();
    assert.equal(await page.getByLabel("Encrypt the link (WireGuard)").isChecked(), true);
    assert.ok(await page.getByText(PRINT).isVisible());
    await assertAccessible(page);
    await picture(page, "mesh-found");
    assert.deepEqual(written, [], "nothing is written before the preview");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("It is away").waitFor();
    assert.deepEqual(written, ["PUT ?force=true&dryRun=true wireguard"]);
  });
});

Deno.test("a leaf names its parent, and leaves the mesh by preview", async () => {
  const mesh = { LeafMode: true, LeafRouters: [], ParentCredentials: { ParentIP: "192.168.2.1" } };
  await onRouter({}, async ({ open, router }) => {
    await router.engine.change({
      kind: "test",
      summary: "Leaf",
      reduce: (config) => [{
        ...config,
        mesh: {
          ...config.mesh,
          ...mesh,
          ParentCredentials: {
            ParentIP: "192.168.2.1",
            ParentAPIToken: "t",
            ParentCA: "",
            LeafIP: "",
            ...{ Link: null, TunnelKey: "", PeerKey: "", KeyReplaced: false },
          },
        },
      }, undefined],
    }, { caller: { by: "test", from: null, connection: null } });
    const page = await open({ path: MESH });
    await page.getByText("Its parent is 192.168.2.1").waitFor();
    await assertAccessible(page);
    await picture(page, "mesh-leaf");
    await page.getByRole("button", { name: "Leave the mesh" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave the mesh" }).click();
    await page.getByText("Make this router a leaf").waitFor();
    assert.equal(router.engine.config.mesh.LeafMode, false);
  });
});
