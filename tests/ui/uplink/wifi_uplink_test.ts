import assert from "node:assert/strict";
import { FakeWifid, RADIO } from "../../kit/fakes/fake_wifid.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import type { IwNeighbour } from "../../../system/wifi/iw/schema.ts";
import { barsOf, scannedNetworks } from "../../../ui/pages/uplink/scan_rows.ts";

const INTERNET = "/admin/uplink";

function neighbour(ssid: string, suites: string, signal: number, more = {}): IwNeighbour {
  return {
    ...{ bssid: "02:00:00:00:0b:01", interface: "wlan1", freq: 5180, ssid },
    ...{ signal_dbm: signal, authentication_suites: suites, supported_rates: [], ...more },
  };
}

const SCAN = [
  neighbour("home", "PSK SAE", -48),
  neighbour("home", "PSK SAE", -71),
  neighbour("", "PSK", -40),
  neighbour("Caf\\xc3\\xa9 \\xf0\\x9f\\x98\\x80", "", -66),
  neighbour("\\xff\\x00evil<b>", "PSK", -77),
  neighbour("office", "IEEE 802.1X", -60),
  neighbour("old", "", -80, { capability: "ESS Privacy ShortSlotTime (0x0411)" }),
];

Deno.test("networks of a scan are one row each, named by what their bytes mean", () => {
  const rows = scannedNetworks(SCAN);
  assert.deepEqual(
    rows.map(({ name, ssid, hex, signal, kind }) => [
      ...[name, ssid, hex, signal, kind.text, kind.keys],
    ]),
    [
      ["home", "home", "", -48, "WPA2 and WPA3", "WPA-PSK WPA-PSK-SHA256 SAE"],
      ["office", "office", "", -60, "IEEE 802.1X", null],
      ["Café 😀", "Café 😀", "", -66, "Open", "NONE"],
      ["\\xff\\x00evil<b>", "", "ff006576696c3c623e", -77, "WPA2", "WPA-PSK WPA-PSK-SHA256"],
      ["old", "old", "", -80, "WEP", null],
    ],
  );
  assert.deepEqual([0, -90, -80, -70, -60, -30].map(barsOf), [0, 0, 1, 2, 3, 4]);
});

Deno.test("a network in range is joined as an uplink, and forgotten", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using wifid = await new FakeWifid().listen(router.home);
    wifid.items = [{ ...RADIO, name: "wlan1" }];
    wifid.scan = SCAN;
    const page = await open({ path: INTERNET });
    await page.getByRole("button", { name: "Join network" }).click();
    await page.getByRole("button", { name: "Café 😀" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "office" }).isDisabled(), true);
    await page.getByRole("button", { name: "home" }).click();
    assert.equal(await page.getByLabel("Network name").inputValue(), "home");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("Enter the password of the network").waitFor();
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("8 to 63 characters").waitFor();
    await assertAccessible(page);
    await page.getByLabel("Password", { exact: true }).fill(`it's "so" \\`);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("is joined by wlan1").waitFor();
    await page.getByRole("button", { name: "Join network" }).last().click();
    await page.getByRole("button", { name: "Forget home" }).waitFor();
    assert.deepEqual(router.engine.config.wpa, [{
      ...{ Iface: "wlan1", Enabled: true },
      Networks: [{
        ...{ Disabled: false, SSID: "home", KeyMgmt: "WPA-PSK WPA-PSK-SHA256 SAE" },
        ...{ Password: `it's "so" \\`, Priority: "1" },
      }],
    }]);
    await page.getByRole("button", { name: "Forget home" }).click();
    await page.getByText("is no WAN interface any more").waitFor();
    await page.getByRole("button", { name: "Forget network" }).click();
    await page.getByText("A free radio can join").waitFor();
    assert.deepEqual(router.engine.config.wpa, []);
  });
});

Deno.test("an uplink by Wi-Fi shows its network, or why there is none, and a portal as text", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using wifid = await new FakeWifid().listen(router.home);
    wifid.items = [{ ...RADIO, name: "wlan1" }];
    wifid.scan = SCAN;
    const body = {
      ...{ Iface: "wlan1", Enabled: true },
      Networks: [{ SSID: "home", Password: "12345678" }, { SSID: "cafe", KeyMgmt: "NONE" }],
    };
    const put = await router.ask("PUT", "/uplink/wifi", { body });
    assert.equal(put.status, 200, await put.text());
    const state = {
      ...{ name: "wlan1", state: "connected", ssid: "cafe", bssid: "", frequency: 5180 },
      ...{ signal: -61, problem: "" },
    };
    const report = async (socket: "wifi" | "uplink", path: string, sent: unknown) =>
      assert.equal((await router.inside(socket, "PUT", path, sent)).status, 200);
    await report("wifi", "/supplicants", { items: [state] });
    const url = "http://portal.example/login?next=%3Cb%3E";
    await report("uplink", "/portal", { name: "wlan1", state: "portal", url });
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: INTERNET, size, dark, signIn: true });
      await page.getByText("connected to cafe").waitFor();
      await page.getByText(url, { exact: true }).waitFor();
      assert.equal(await page.getByRole("link", { name: /portal\.example/ }).count(), 0);
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      const look = `${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`;
      await picture(page, `wifi-uplink-${look}`);
      await page.getByRole("button", { name: "Join network" }).click();
      await page.getByRole("button", { name: "-48 dBm home" }).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `wifi-join-${look}`);
      await page.close();
    }
  });
});
