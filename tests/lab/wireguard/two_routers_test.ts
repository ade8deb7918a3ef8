import assert from "node:assert/strict";
import { eventually, give } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import { buildLab, type Lab, type LabClient } from "../../kit/lab/lab.ts";
import { labInterfaces, type LabRouter, type Lease, startRouter } from "../../kit/lab/router.ts";
import { controlFolder } from "../../kit/lab/tunnel_peer.ts";

const PATH = "/plugins/wireguard";
/** The second router's end of its uplink, and its provider's. */
const CABIN = "192.0.2.2", CABIN_PROVIDER = "192.0.2.1";
const CABIN_NET = "192.168.9.0/24", HOME_NET = "192.168.2.0/24";

type Client = LabClient & Lease;

/** Joins the providers of two labs by a cable, the second with networks of its own. */
async function joinProviders(first: Lab, second: Lab): Promise<void> {
  const [one, other] = [first.space("wan"), second.space("wan")];
  const ip = (space: string, ...args: readonly string[]) => must("ip", ["-n", space, ...args]);
  await ip(one, "link", "add", "far0", "type", "veth", "peer", "far0", "netns", other);
  await ip(other, "address", "flush", "dev", "wan0");
  await ip(other, "address", "add", `${CABIN_PROVIDER}/24`, "dev", "wan0");
  await ip(one, "address", "add", "100.127.0.1/30", "dev", "far0");
  await ip(other, "address", "add", "100.127.0.2/30", "dev", "far0");
  for (const space of [one, other]) await ip(space, "link", "set", "far0", "up");
  await ip(one, "route", "add", "192.0.2.0/24", "via", "100.127.0.2");
  await ip(other, "route", "add", "203.0.113.0/24", "via", "100.127.0.1");
  for (const lab of [first, second]) {
    await lab.must("wan", "sysctl", ["-q", "-w", "net.ipv4.ip_forward=1"]);
  }
}

async function leases(lab: Lab, router: LabRouter): Promise<readonly [Client, Client]> {
  const [a, b] = lab.clients as [LabClient, LabClient];
  return [{ ...a, ...await router.lease(a) }, { ...b, ...await router.lease(b) }];
}

async function set(router: LabRouter, body: unknown): Promise<{ readonly Config: string }> {
  const answer = await router.api("PUT", `${PATH}/site`, { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

Deno.test("two routers join their networks", async (t) => {
  const houses: Lab[] = [];
  const routers: LabRouter[] = [];
  const covers = [await controlFolder(), await controlFolder()];
  try {
    for (const name of ["vpnhome", "vpncabin"]) houses.push(await buildLab({ name, clients: 2 }));
    const [homeLab, cabinLab] = houses as [Lab, Lab];
    await joinProviders(homeLab, cabinLab);
    const links = labInterfaces(cabinLab).map((link) => ({
      ...link as Readonly<Record<string, unknown>>,
      ...((link as { readonly Type: string }).Type === "Uplink"
        ? { IP: `${CABIN}/24`, Router: CABIN_PROVIDER }
        : {}),
    }));
    routers.push(await startRouter(homeLab, { services: "wireguard", covers: covers[0]! }));
    routers.push(
      await startRouter(cabinLab, {
        services: "wireguard",
        covers: covers[1]!,
        files: { "base/interfaces.json": links },
      }),
    );
    const [home, cabin] = routers as [LabRouter, LabRouter];
    let config = "";

    await t.step("networks that overlap are refused on either side", async () => {
      const body = { Name: "Cabin", Networks: [HOME_NET] };
      const own = await home.api("PUT", `${PATH}/site`, { body });
      assert.equal(own.status, 409, own.text);
      assert.match(own.text, /192\.168\.2\.0\/24 overlaps 192\.168\.2\.0\/24.*LAN subnet/);
      config = (await set(home, { Name: "Cabin", Networks: [CABIN_NET] })).Config;
      const other = await cabin.api("PUT", `${PATH}/site/import`, {
        body: { Name: "Home", Config: config },
      });
      assert.equal(other.status, 409, other.text);
      assert.match(other.text, /LAN subnet of this router/);
      assert.deepEqual((await cabin.api("GET", `${PATH}/sites`)).json, []);
    });

    await t.step("renumbered, the other router takes the file and calls", async () => {
      const moved = await cabin.api("PUT", "/subnetConfig", {
        body: { TinyNets: [CABIN_NET], LeaseTime: "24h0m0s" },
      });
      assert.equal(moved.status, 200, moved.text);
      const taken = await cabin.api("PUT", `${PATH}/site/import`, {
        body: { Name: "Home", Config: config },
      });
      assert.equal(taken.status, 200, taken.text);
      for (const router of [home, cabin]) {
        await eventually("the site is online", async () => {
          const [site] = (await router.api("GET", `${PATH}/sites`)).json;
          return site.Online;
        });
      }
    });

    const [homeA, homeB] = await leases(homeLab, home);
    const [cabinA, cabinB] = await leases(cabinLab, cabin);

    await t.step("what passes is what both sides allow", async () => {
      assert.match(cabinA.IP, /^192\.168\.9\./);
      assert.equal(await homeLab.ping("a", cabinA.IP), false);
      await set(home, { Name: "Cabin", Groups: ["family"] });
      await give(home, homeA.mac, { Groups: ["family"] });
      assert.equal(await homeLab.ping("a", cabinA.IP), false, "the cabin has not allowed it");
      await set(cabin, { Name: "Home", Groups: ["family"] });
      await give(cabin, cabinA.mac, { Groups: ["family"] });
      await eventually("a reaches a", () => homeLab.ping("a", cabinA.IP));
      assert.equal(await cabinLab.ping("a", homeA.IP), true);
      assert.equal(await homeLab.ping("a", cabinB.IP), false);
      assert.equal(await homeLab.ping("b", cabinA.IP), false);
      assert.equal(await cabinLab.ping("a", homeB.IP), false);
      assert.equal(await cabinLab.ping("b", homeA.IP), false);
    });

    await t.step("what happens to either router ends no connection", async () => {
      const echo = ["-d", "-d", "TCP4-LISTEN:7,reuseaddr", "PIPE"];
      await cabinLab.spawn("a", "socat", echo).line(/listening on/);
      const held = await homeLab.hold("a", cabinA.IP);
      for (const router of [home, cabin]) {
        await router.stop("SIGKILL");
        assert.equal(await held.breaks(), false, "Sluice is killed");
        await router.start();
        assert.equal(await held.breaks(), false, "Sluice is started again");
      }
      await give(cabin, cabinA.mac, { Groups: [] });
      assert.equal(await held.broke, "stalled", "the cabin takes its device out");
      await held.close();
      assert.equal(await homeLab.ping("a", cabinA.IP), false);
    });

    await t.step("a site that one side removes leads nowhere on either", async () => {
      const removed = await home.api("DELETE", `${PATH}/site`, { body: { Name: "Cabin" } });
      assert.equal(removed.status, 200, removed.text);
      const routes = await homeLab.must("router", "ip", ["route"]);
      assert.doesNotMatch(routes, /192\.168\.9\./);
      assert.equal(await cabinLab.ping("b", homeB.IP), false);
    });
  } finally {
    for (const router of routers) await router.close();
    for (const lab of houses) await lab.close();
    for (const cover of covers) await Deno.remove(cover["/run/wireguard"], { recursive: true });
  }
});
