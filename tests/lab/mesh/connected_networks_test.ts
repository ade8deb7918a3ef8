import assert from "node:assert/strict";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import { dig } from "../../kit/lab/dig.ts";
import { INTERNET, type Lab, UPLINK } from "../../kit/lab/lab.ts";
import { carry, LeafRouter, makeStation, POINT, type Station } from "../../kit/lab/leaf_router.ts";
import type { LabRouter } from "../../kit/lab/router.ts";
import { controlFolder } from "../../kit/lab/tunnel_peer.ts";
import { inFolder } from "../../kit/process.ts";

const MESH = "/plugins/mesh";
/** What a client sends, as anyone would recognize it. */
const MARK = "a client sends this in clear";

const X: Station = { part: "x", mac: "02:00:00:00:aa:01", number: 4101 };
const Y: Station = { part: "y", mac: "02:00:00:00:aa:02", number: 4102 };
const Z: Station = { part: "z", mac: "02:00:00:00:aa:03", number: 4103 };

const INTERFACES = [
  {
    ...{ Name: "wan0", Type: "Uplink", Enabled: true, DisableDHCP: true },
    ...{ IP: `${UPLINK}/24`, Router: "203.0.113.1" },
  },
  { Name: "cl-a", Type: "Downlink", Enabled: true },
  { Name: "cl-b", Type: "Downlink", Enabled: true },
  POINT,
];

/** Tenths of a second for which a roaming client may hear nothing: its router learns of it by a report. */
const PATIENCE = 300;

async function lease(lab: Lab, { part }: Station): Promise<string> {
  const result = await lab.dhcp(part);
  assert.equal(result.ok, true, result.stderr);
  return (await lab.address(part))!.split("/")[0]!;
}

/** True where an echo server gives back the bytes of a file. */
async function echoed(
  lab: Lab,
  { part }: Station,
  { path, to }: { readonly path: string; readonly to: string },
): Promise<boolean> {
  const command = `socat -b 65536 -t 5 - ${to} < '${path}' | cmp -s - '${path}'`;
  return (await lab.exec(part, "timeout", ["60", "sh", "-c", command])).ok;
}

/** Writes down what goes over a link; `stop` gives it as text. */
async function capture(
  lab: Lab,
  { part, link, folder }: {
    readonly part: string;
    readonly link: string;
    readonly folder: string;
  },
): Promise<{ stop(): Promise<string> }> {
  const path = `${folder}/${link}.pcap`;
  const process = lab.spawn(part, "tcpdump", ["-Z", "root", "-U", "-s0", "-i", link, "-w", path]);
  await process.line(/listening on/);
  return {
    async stop() {
      await process.stop("SIGINT");
      return new TextDecoder("latin1").decode(await Deno.readFile(path));
    },
  };
}

async function parentJoined(router: LabRouter, mac: string, Iface: string): Promise<void> {
  const body = { Iface, Event: "AP-STA-CONNECTED", Mac: mac };
  const answer = await router.api("PUT", "/reportPSKAuthSuccess", { body });
  assert.equal(answer.status, 200, answer.text);
}

async function allow(router: LabRouter, { mac }: Station, ...Policies: string[]) {
  await give(router, mac, { Policies: ["noapi", ...Policies] });
}

Deno.test("the clients of leaf routers are on the network of their parent", (context) =>
  inFolder(async (folder) => {
    const covers = await controlFolder(`${folder}/control`);
    await withBed({
      name: "mesh",
      lab: { clients: 2 },
      router: {
        services: "mesh,dhcpd,dnsd,wireguard",
        covers,
        files: { "base/interfaces.json": INTERFACES },
      },
    }, async ({ lab, router, clients }) => {
      const leaves: LeafRouter[] = [];
      const t = {
        // Each step goes on from where the last one ended.
        async step(name: string, work: () => Promise<void>) {
          assert.equal(await context.step(name, work), true, name);
        },
      };
      const online = async ({ part }: Station) => await lab.tcp(part, INTERNET, 80) === "open";
      try {
        const tls = await router.api("PUT", "/firewall/enableTLS");
        assert.equal(tls.status, 200, tls.text);
        for (const { part, mac } of [X, Y, Z]) {
          const body = { MAC: mac, Name: part, PSKEntry: { Type: "sae", Psk: "password1234" } };
          const added = await router.api("PUT", `/device?identity=${mac}`, { body });
          assert.equal(added.status, 200, added.text);
        }
        for (const { name, mac, IP, RouterIP } of clients) {
          await give(router, mac, { Policies: ["wan", "dns"] });
          const leaf = new LeafRouter(lab, { part: name, address: IP, home: `${folder}/${name}` });
          leaves.push(leaf);
          await leaf.prepare(RouterIP);
          await leaf.start();
        }
        const [one, two] = leaves as [LeafRouter, LeafRouter];

        await t.step("both join", async () => {
          for (const leaf of leaves) await leaf.join(router);
          // Each comes once its tunnel is there.
          await eventually("both have links", async () => {
            const links = await lab.must("router", "ip", ["-d", "link", "show", "type", "vxlan"]);
            return /mesh-leaf1: .*[\s\S]*vxlan id 1 remote/.test(links) &&
              /mesh-leaf2: .*[\s\S]*vxlan id 2 remote/.test(links);
          });
        });

        const addresses = new Map<Station, string>();
        const address = (station: Station): string => addresses.get(station)!;
        await t.step("a client of a leaf has address and resolver of the parent", async () => {
          await makeStation(lab, X, "a");
          await one.joined(X.mac, X.number);
          addresses.set(X, await lease(lab, X));
          await makeStation(lab, Y, "a");
          await one.joined(Y.mac, Y.number);
          addresses.set(Y, await lease(lab, Y));
          await makeStation(lab, Z, "b");
          await two.joined(Z.mac, Z.number);
          addresses.set(Z, await lease(lab, Z));
          const neighbours = await lab.must("router", "ip", ["neigh", "show", "nud", "permanent"]);
          assert.match(
            neighbours,
            new RegExp(`^${address(X)} dev mesh-leaf1 lladdr ${X.mac} `, "m"),
          );
          const ports = await lab.must("a", "bridge", ["-d", "link", "show"]);
          assert.match(ports, /wlan0\.4101@[\s\S]*isolated on/);
        });

        await t.step("the leaf serves no addresses and no names itself", async () => {
          await eventually(
            "its DHCP and DNS are off",
            async () => !/:(53|67) /.test(await lab.must("a", "ss", ["-lnu"])),
          );
          assert.doesNotMatch(await lab.must("a", "ip", ["address"]), /192\.168\.77\./);
          await allow(router, X, "dns");
          await eventually("the parent resolves a name", async () => {
            const { answers } = await dig(lab, X.part, "192.168.2.1", "y.lan");
            return answers.some(([, , type]) => type === "A");
          });
        });

        await t.step("a client is online by policy only, and not any more at once", async () => {
          assert.equal(await online(X), false);
          await allow(router, X, "wan", "dns");
          await eventually("X is online", () => online(X));
          const held = await lab.hold(X.part, INTERNET);
          await allow(router, X, "dns");
          assert.equal(await held.breaks(), true);
          assert.equal(await online(X), false);
          await held.close();
        });

        const linked = (leaf: LeafRouter) =>
          eventually(`${leaf.part} is linked by a tunnel`, async () => {
            const { Leaves } = (await router.api("GET", `${MESH}/status`)).json;
            const { Link } = Leaves.find(({ IP }: { IP: string }) => IP === leaf.address);
            return Link.Kind === "wireguard" && Link.State === "connected";
          });
        await t.step("what clients send is not readable between the routers", async () => {
          await linked(one);
          await allow(router, X, "wan", "dns");
          await eventually("X is online", () => online(X));
          const wire = await capture(lab, { part: "a", link: "eth0", folder });
          const inside = await capture(lab, { part: "a", link: "mesh-parent", folder });
          const path = `${folder}/sent`;
          await Deno.writeTextFile(path, `${MARK}\n`.repeat(40_000));
          assert.equal(await echoed(lab, X, { path, to: `TCP4:${INTERNET}:7` }), true, "TCP");
          // Larger than any packet of the link: it comes in fragments.
          await Deno.writeTextFile(path, `${MARK}\n`.repeat(200));
          const echo = lab.spawn("wan", "socat", [
            ...["-b", "65536", `UDP4-RECVFROM:4007,bind=${INTERNET},fork`, "EXEC:cat"],
          ]);
          await eventually(
            "a large datagram comes back",
            () => echoed(lab, X, { path, to: `UDP4:${INTERNET}:4007` }),
          );
          await echo.stop();
          const [sent, clear] = [await wire.stop(), await inside.stop()];
          assert.ok(clear.includes(MARK), "the capture within the tunnel has it");
          assert.equal(sent.includes(MARK), false, "the capture on the wire has it not");
          assert.ok(sent.length > 1_000_000, `the wire carried ${sent.length} bytes`);
        });

        await t.step("a leaf that joins again has new keys, and its clients go on", async () => {
          const keys = async () => {
            const { LeafRouters } = (await router.api("GET", `${MESH}/config`)).json;
            const { PublicKey, PeerKey } = LeafRouters
              .find(({ IP }: { IP: string }) => IP === one.address);
            return { PublicKey, PeerKey };
          };
          const before = await keys();
          const held = await lab.hold(X.part, INTERNET, 7, PATIENCE);
          const body = { IP: one.address, APIToken: "**" };
          const added = await router.api("PUT", `${MESH}/leafRouter`, { body });
          assert.equal(added.status, 200, added.text);
          await eventually("both keys are new", async () => {
            const { PublicKey, PeerKey } = await keys();
            return PublicKey !== before.PublicKey && PeerKey !== "" && PeerKey !== before.PeerKey;
          });
          await linked(one);
          assert.equal(await held.breaks(), false);
          await held.close();
          await eventually("X is online", () => online(X));
        });

        await t.step("clients of one leaf, and of two, meet by policy only", async () => {
          for (const other of [Y, Z]) {
            assert.equal(await lab.ping(X.part, address(other)), false);
          }
          await allow(router, X, "lan", "dns");
          for (const other of [Y, Z]) {
            await eventually(`X reaches ${other.part}`, () => lab.ping(X.part, address(other)));
            assert.equal(await lab.ping(other.part, address(X)), false);
          }
          await allow(router, X, "wan", "dns");
          for (const other of [Y, Z]) {
            assert.equal(await lab.ping(X.part, address(other)), false);
          }
        });

        /** Whether X reaches Y as if both were on one network, with no router between them. */
        const meets = async (): Promise<boolean> => {
          for (const [{ part }, host] of [[X, 1], [Y, 2]] as const) {
            await lab.must(part, "ip", ["address", "replace", `10.9.9.${host}/24`, "dev", "eth0"]);
          }
          return await lab.ping(X.part, "10.9.9.2");
        };
        await t.step(
          "frames of one client reach no other, whatever addresses it takes",
          async () => assert.equal(await meets(), false),
        );

        await t.step("a client that roams keeps its address and its connections", async () => {
          const held = await lab.hold(X.part, INTERNET, 7, PATIENCE);
          const way = async (): Promise<string> => {
            const all = await lab.must("router", "ip", ["neigh", "show", "nud", "permanent"]);
            return new RegExp(`^${address(X)} dev (\\S+) `, "m").exec(all)?.[1] ?? "";
          };
          await carry(lab, X, { from: "a", to: "b" });
          await two.joined(X.mac, X.number);
          await eventually("it is at the other leaf", async () => await way() === "mesh-leaf2");
          assert.equal(await held.breaks(), false, "at the other leaf");
          await carry(lab, X, { from: "b", to: "router" });
          const Iface = `wlan0.${X.number}`;
          await parentJoined(router, X.mac, Iface);
          await eventually("it is at the parent", async () => await way() === Iface);
          assert.equal(await held.breaks(), false, "at the parent");
          await carry(lab, X, { from: "router", to: "a" });
          await one.joined(X.mac, X.number);
          await eventually("it is back", async () => await way() === "mesh-leaf1");
          assert.equal(await held.breaks(), false, "back at the first leaf");
          await held.close();
          assert.equal(await lease(lab, X), address(X));
        });

        await t.step("while a leaf starts again, its clients go on", async () => {
          const held = await lab.hold(X.part, INTERNET, 7, PATIENCE);
          await one.stop("SIGKILL");
          assert.equal(await held.breaks(), false, "without its processes");
          // Somebody opens two ports meanwhile: then there is nothing between the clients.
          const port = (station: Station, state: string) =>
            lab.must("a", "bridge", [
              ...["link", "set", "dev", `wlan0.${station.number}`, "isolated", state],
            ]);
          for (const station of [X, Y]) await port(station, "off");
          assert.equal(await meets(), true);
          await one.start();
          await eventually("the ports are isolated again", async () => !await meets());
          assert.equal(await held.breaks(), false, "with them again");
          const { state, drift } = await one.ok("GET", "/network");
          assert.deepEqual([state, drift], ["applied", []]);
          await held.close();
        });

        await t.step("a cable that was out breaks only what waited", async () => {
          await must("ip", ["-n", lab.space("router"), "link", "set", "cl-a", "down"]);
          assert.equal(await online(X), false);
          await must("ip", ["-n", lab.space("router"), "link", "set", "cl-a", "up"]);
          await eventually("X is online again", () => online(X));
        });

        await t.step("out of leaf mode it serves its own network again", async () => {
          await one.ok("PUT", "/plugins/mesh/leafMode/disable");
          await eventually(
            "it has its LAN",
            async () => /192\.168\.77\.1\//.test(await lab.must("a", "ip", ["address"])),
          );
          const links = await lab.must("a", "ip", ["link"]);
          assert.doesNotMatch(links, /mesh-(bridge|parent)/);
          await eventually(
            "it leases addresses",
            async () => /%wlan0\.4101:67 /.test(await lab.must("a", "ss", ["-lnu"])),
          );
        });
      } finally {
        for (const leaf of leaves) await leaf.stop();
      }
    });
  }));
