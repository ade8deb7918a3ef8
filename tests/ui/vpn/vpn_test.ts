import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { KEY } from "../../kit/builders/device_config.ts";
import type { TestRouter } from "../../kit/router.ts";

const VPN = "/admin/vpn";
const PATH = "/plugins/wireguard";

/** Reports a tunnel in which the peers with these keys are online. */
async function report(router: TestRouter, now: number, ...keys: readonly string[]): Promise<void> {
  const answer = await router.inside("tunnels", "PUT", "/report", {
    items: [{
      name: "wg0",
      backend: "kernel",
      problem: "",
      listenPort: 51280,
      publicKey: KEY,
      peers: keys.map((publicKey) => ({
        publicKey,
        endpoint: "198.51.100.7:4321",
        latestHandshake: Math.floor(now / 1000) - 60,
        rx: 1_500_000,
        tx: 23_000_000,
      })),
    }],
  });
  assert.equal(answer.status, 200, await answer.text());
}

Deno.test("the VPN page shows devices with handshake, transfer and place, on desktop and phone", async () => {
  await onRouter({}, async ({ open, router, now }) => {
    const body = { PublicKey: KEY, Name: "Anna's phone", Policies: ["wan", "dns"] };
    await router.json("PUT", `${PATH}/peer`, { body });
    await router.json("PUT", `${PATH}/peer`, { body: { Name: "Laptop" } });
    await report(router, now(), KEY);
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: VPN, size, dark, signIn: true });
      await page.getByRole("link", { name: "Anna's phone" }).waitFor();
      await page.getByText("198.51.100.7:4321").waitFor();
      await page.getByText("1.5 MB / 23 MB").waitFor();
      await page.getByRole("button", { name: "Check" }).click();
      await page.getByText("203.0.113.2 is a public address").waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `vpn-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`);
      await page.close();
    }
  });
});

Deno.test("a phone is added by QR code in three steps, and its first connection is seen", async () => {
  await onRouter({}, async ({ open, router, now }) => {
    const page = await open({ path: VPN });
    await page.getByRole("main").getByRole("link", { name: "Add a VPN device" }).first().click();
    await page.getByRole("button", { name: "Add device" }).click();
    await page.getByText("Enter a name").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Phone");
    await page.getByRole("button", { name: "Add device" }).click();
    await page.getByText("from anywhere, with this access").waitFor();
    await assertAccessible(page);
    await picture(page, "vpn-preview");
    await page.getByRole("dialog").getByRole("button", { name: "Add device" }).click();
    await page.getByRole("img", { name: "QR code of the VPN configuration" }).waitFor();
    await page.getByText("Waiting for its first connection").waitFor();
    await assertAccessible(page);
    await picture(page, "vpn-qr");
    const [peer] = router.engine.config.wireguard.Peers;
    const device = router.engine.config.devices[peer!.PublicKey]!;
    assert.deepEqual([device.Name, device.Policies], ["Phone", ["wan", "dns", "noapi"]]);
    await report(router, now(), peer!.PublicKey);
    await page.getByText("Connected.").waitFor();
  });
});

Deno.test("a laptop is added by a file that holds its key", async () => {
  await onRouter({}, async ({ open, router }) => {
    const page = await open({ path: "/admin/vpn/add", size: PHONE });
    await page.getByText("Computer", { exact: true }).click();
    await page.getByText("Only for this network").click();
    await page.getByLabel("Name", { exact: true }).fill("Anna's Läptop");
    await page.getByRole("button", { name: "Add device" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Add device" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save anna-s-laptop.conf" }).click(),
    ]);
    // The browser may run elsewhere: its file comes as a stream.
    const chunks: Uint8Array[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Uint8Array);
    const text = await new Blob(chunks as BlobPart[]).text();
    assert.match(text, /^PrivateKey = [A-Za-z0-9+/]{43}=$/m);
    assert.match(text, /^AllowedIPs = 192\.168\.2\.0\/24$/m);
    assert.match(text, /^PresharedKey = [A-Za-z0-9+/]{43}=$/m);
    const key = /^PrivateKey = (.*)$/m.exec(text)![1]!;
    assert.ok(!JSON.stringify(router.engine.config).includes(key), "the router never had it");
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
  });
});

Deno.test("a device gets a new key, and is revoked by preview", async () => {
  await onRouter({}, async ({ open, router }) => {
    await router.json("PUT", `${PATH}/peer`, { body: { PublicKey: KEY, Name: "Phone" } });
    const page = await open({ path: VPN });
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByText("The old one stops working").or(
      page.getByRole("img", { name: "QR code of the VPN configuration" }),
    ).waitFor();
    const confirm = page.getByRole("button", { name: "Make new key" });
    if (await confirm.isVisible()) await confirm.click();
    await page.getByRole("img", { name: "QR code of the VPN configuration" }).waitFor();
    await assertAccessible(page);
    assert.notEqual(router.engine.config.wireguard.Peers[0]!.PublicKey, KEY);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Revoke Phone" }).click();
    await page.getByText("can no longer connect").waitFor();
    await page.getByRole("button", { name: "Revoke access" }).click();
    await page.getByText("Home from anywhere").waitFor();
    assert.deepEqual(router.engine.config.wireguard.Peers, []);
  });
});

Deno.test("a site is added with its file, an overlap is said at its field, and it is switched off", async () => {
  await onRouter({}, async ({ open, router }) => {
    const page = await open({ path: VPN });
    await page.getByRole("tab", { name: "Sites" }).click();
    await page.getByRole("button", { name: "Add site" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Cabin");
    await page.getByLabel("Networks behind the other router").fill("192.168.2.0/24");
    await page.getByRole("button", { name: "Preview site" }).click();
    await page.getByText("which is a LAN subnet of this router").waitFor();
    await assertAccessible(page);
    await picture(page, "vpn-site-overlap");
    await page.getByLabel("Networks behind the other router").fill("192.168.7.0/24");
    await page.getByLabel("Groups").fill("family");
    await page.getByRole("button", { name: "Preview site" }).click();
    await page.getByRole("button", { name: "Save site" }).click();
    await page.getByRole("button", { name: "Save cabin.conf" }).waitFor();
    await assertAccessible(page);
    await picture(page, "vpn-site-file");
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByText("groups family").waitFor();
    await page.getByRole("switch", { name: "Tunnel to Cabin" }).click();
    await page.getByRole("button", { name: "Save site" }).click();
    await page.locator('[aria-label="Tunnel to Cabin"][aria-checked="false"]').waitFor();
    assert.equal(router.engine.config.wireguard.Sites[0]!.Enabled, false);
    await page.getByRole("button", { name: "Remove Cabin" }).click();
    await page.getByRole("button", { name: "Remove site" }).click();
    await page.getByText("A site is another router").waitFor();
  });
});

Deno.test("the tunnel is set, a file with commands refused, and dynamic DNS saved", async () => {
  await onRouter({}, async ({ open, router }) => {
    const page = await open({ path: VPN });
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("switch", { name: "VPN" }).click();
    await page.getByText("opens its port on the WAN").waitFor();
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.locator('[aria-label="VPN"][aria-checked="true"]').waitFor();
    await page.getByLabel("UDP port").fill("0");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Use a port from 1 to 65535").waitFor();
    await page.getByLabel("UDP port").fill("51820");
    await page.getByLabel("Name or address of this router").fill("vpn.example.org");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save settings" }).click();
    await page.getByText("has new settings").waitFor();
    const { ListenPort, Endpoints } = router.engine.config.wireguard;
    assert.deepEqual([ListenPort, Endpoints], [51820, ["vpn.example.org"]]);
    await page.getByLabel("Its configuration file", { exact: true })
      .fill("[Interface]\nPostUp = iptables -A FORWARD -j ACCEPT\n");
    await page.getByRole("button", { name: "Take over" }).click();
    await page.getByText("Line 2: PostUp runs a command as root").waitFor();
    await page.getByLabel("Provider").selectOption("DuckDNS");
    await page.getByLabel("Domain").fill("duckdns.org");
    await page.getByLabel("Names in it").fill("home");
    await page.getByRole("button", { name: "Save dynamic DNS" }).click();
    await page.getByText("Write the token that the provider gives out").waitFor();
    await assertAccessible(page);
    await picture(page, "vpn-settings");
    await page.getByLabel("Token").fill("some-token");
    await page.getByRole("button", { name: "Save dynamic DNS" }).click();
    await page.getByText("home.duckdns.org").waitFor();
    assert.equal(router.engine.config.dyndns.login_token, "some-token");
  });
});

Deno.test("what does not run as set, and what of a file was left out, is said on the page", async () => {
  await onRouter({}, async ({ open, router }) => {
    await router.json("PUT", `${PATH}/up`);
    const problem = "There is an interface wg0 that Sluice did not create";
    const items = [{
      ...{ name: "wg0", backend: "", problem, listenPort: 0, publicKey: "", peers: [] },
    }];
    await (await router.inside("tunnels", "PUT", "/report", { items })).body?.cancel();
    const page = await open({ path: VPN });
    await page.getByText("The VPN does not run as set.").waitFor();
    await page.getByText(problem).waitFor();
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByLabel("Its configuration file", { exact: true }).fill(
      "[Interface]\nPrivateKey = aFqUtT4JzVSgVbSAvbnRLnbSUPLrDHk0SgLDFVFtAVk=\n" +
        `[Peer]\nPublicKey = ${KEY}\nAllowedIPs = 192.168.2.14, fd00::2/128\n`,
    );
    await page.getByRole("button", { name: "Take over" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("fd00::2/128 of AllowedIPs (line 5)").waitFor();
    await dialog.getByRole("button", { name: "Take over" }).click();
    await page.getByText("Imported, except for settings that this VPN does not have:").waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    await picture(page, "vpn-left-out");
  });
});
