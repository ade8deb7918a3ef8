import assert from "node:assert/strict";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import type { LabRouter } from "../../kit/lab/router.ts";
import { addRoad, controlFolder, ROAD, TunnelPeer } from "../../kit/lab/tunnel_peer.ts";

const PATH = "/plugins/wireguard";
/** A machine behind each of the two sites. */
const CABIN = "192.168.7.1", SHOP = "10.8.0.1";
const SHOP_PORT = 51_999;

async function set(router: LabRouter, body: unknown) {
  const answer = await router.api("PUT", `${PATH}/site`, { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

Deno.test("sites", async (t) => {
  const covers = await controlFolder();
  const hosts = await Deno.makeTempFile({ prefix: "sluice-hosts-" });
  await Deno.writeTextFile(hosts, `127.0.0.1 localhost\n${ROAD} shop.example\n`);
  const bed = {
    name: "vpnsites",
    lab: { clients: 2 },
    router: { services: "wireguard", covers: { ...covers, "/etc/hosts": hosts } },
  };
  await withBed(bed, async ({ lab, router, clients }) => {
    const [a, b] = clients as [typeof clients[number], typeof clients[number]];
    await addRoad(lab);
    const from = async (source: string, address: string): Promise<boolean> =>
      (await lab.exec("road", "ping", ["-c1", "-W1", "-I", source, address])).ok;
    const cabin = await set(router, { Name: "Cabin", Networks: ["192.168.7.0/24"] });
    const other = await TunnelPeer.start(lab, "road", {
      link: "wgcabin",
      config: cabin.Config,
      address: `${CABIN}/24`,
      routes: ["192.168.2.0/24"],
    });

    await t.step("the tunnel stands, and nothing passes without a policy", async () => {
      await eventually("a handshake", async () => {
        await from(CABIN, a.IP);
        const [site] = (await router.api("GET", `${PATH}/sites`)).json;
        return site.Online;
      });
      assert.equal(await from(CABIN, a.IP), false);
      assert.equal(await lab.ping("a", CABIN), false);
    });

    await t.step("a group joins its devices with the site, both ways", async () => {
      await set(router, { Name: "Cabin", Groups: ["family"] });
      await give(router, a.mac, { Groups: ["family"] });
      await eventually("a reaches the cabin", () => lab.ping("a", CABIN));
      assert.equal(await from(CABIN, a.IP), true);
      assert.equal(await lab.ping("b", CABIN), false);
      assert.equal(await from(CABIN, b.IP), false);
    });

    await t.step("a policy opens the LAN to the site, and not the site to the LAN", async () => {
      await set(router, { Name: "Cabin", Policies: ["lan"] });
      await eventually("the cabin reaches b", () => from(CABIN, b.IP));
      assert.equal(await lab.ping("b", CABIN), false);
    });

    await t.step("a site that is reached by a name is called there", async () => {
      const key = (await router.api("GET", `${PATH}/genkey`)).json;
      const { Site } = await set(router, {
        Name: "Shop",
        Networks: ["10.8.0.0/16"],
        PeerPublicKey: key.PublicKey,
        Endpoint: `shop.example:${SHOP_PORT}`,
        PersistentKeepalive: 1,
        Groups: ["family"],
      });
      const stored = JSON.parse(
        await Deno.readTextFile(`${router.home}/configs/wireguard/wireguard.json`),
      );
      const { PresharedKey } = stored.Sites[1];
      const shop = await TunnelPeer.start(lab, "road", {
        link: "wgshop",
        config: `[Interface]\nPrivateKey = ${key.PrivateKey}\nListenPort = ${SHOP_PORT}\n[Peer]\n` +
          `PublicKey = ${Site.PublicKey}\nPresharedKey = ${PresharedKey}\n` +
          "AllowedIPs = 192.168.2.0/24\n",
        address: `${SHOP}/16`,
        routes: [],
      });
      await lab.must("road", "ip", ["route", "replace", "192.168.2.0/24", "dev", "wgshop"]);
      await eventually("a reaches the shop", () => lab.ping("a", SHOP));
      await shop.stop();
    });

    await t.step("a site that is off, or gone, has neither interface nor route", async () => {
      await set(router, { Name: "Cabin", Enabled: false });
      const gone = async (link: string) =>
        !(await lab.exec("router", "ip", ["link", "show", "dev", link])).ok;
      await eventually("site0 is gone", () => gone("site0"));
      const removed = await router.api("DELETE", `${PATH}/site`, { body: { Name: "Shop" } });
      assert.equal(removed.status, 200, removed.text);
      await eventually("site1 is gone", () => gone("site1"));
      const routes = await lab.must("router", "ip", ["route"]);
      assert.doesNotMatch(routes, /site\d|192\.168\.7\.|10\.8\./);
      await set(router, { Name: "Cabin", Enabled: true });
      await lab.must("road", "ip", ["route", "replace", "192.168.2.0/24", "dev", "wgcabin"]);
      await eventually("it is back", async () => !await gone("site0"));
      await other.configure(cabin.Config);
      await eventually("the cabin reaches b", () => from(CABIN, b.IP));
    });
    await other.stop();
  });
  await Deno.remove(covers["/run/wireguard"], { recursive: true });
  await Deno.remove(hosts);
});
