import assert from "node:assert/strict";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import { data, dig } from "../../kit/lab/dig.ts";
import { type Held, INTERNET, type Lab } from "../../kit/lab/lab.ts";
import { pidsOf, programsIn } from "../../kit/lab/pids.ts";
import type { LabRouter } from "../../kit/lab/router.ts";
import { addRoad, controlFolder, ROAD, TunnelPeer } from "../../kit/lab/tunnel_peer.ts";

const PATH = "/plugins/wireguard";

interface Client {
  readonly Interface: { readonly Address: string };
  readonly Config: string;
  readonly Problem: string;
}
interface Listed {
  readonly PublicKey: string;
  readonly Endpoint: string;
  readonly LatestHandshake: number;
  readonly TransferRx: number;
  readonly Identity: string;
  readonly Name: string;
  readonly Online: boolean;
}

async function put(router: LabRouter, path: string, body?: unknown): Promise<Client> {
  const answer = await router.api("PUT", `${PATH}${path}`, body === undefined ? {} : { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

const listed = async (router: LabRouter): Promise<readonly Listed[]> =>
  (await router.api("GET", `${PATH}/peers`)).json;

/** True for a peer of a tunnel that was made a moment ago. */
const isNew = ({ LatestHandshake }: Listed): boolean => LatestHandshake === 0;

const key = (one: Listed): string => encodeURIComponent(one.Identity);

async function reaches(lab: Lab, part: string, address: string): Promise<void> {
  await eventually(`${part} reaches ${address}`, () => lab.ping(part, address));
}

/** Ends a process of Sluice, and waits for the next one. */
async function crash(lab: Lab, name: string): Promise<void> {
  const [pid] = await pidsOf(lab, name);
  Deno.kill(pid!, "SIGKILL");
  await eventually(`${name} is back`, async () => {
    const [now] = await pidsOf(lab, name);
    return now !== undefined && now !== pid;
  });
}

Deno.test("VPN peers", async (t) => {
  const covers = await controlFolder();
  const bed = {
    name: "vpnpeers",
    lab: { clients: 2 },
    router: { services: "wireguard,dnsd", covers },
  };
  await withBed(bed, async ({ lab, router, clients }) => {
    const [a, b] = clients as [typeof clients[number], typeof clients[number]];
    await addRoad(lab);
    const tunnelRoutes = ["192.168.2.0/24", INTERNET];
    const phone = await put(router, "/peer", { Name: "phone" });
    const first = await TunnelPeer.start(lab, "road", {
      link: "wgphone",
      config: phone.Config,
      routes: tunnelRoutes,
    });
    const seen = async (): Promise<Listed> =>
      (await listed(router)).find(({ Name }) => Name === "phone")!;
    let held: Held | null = null;
    // A client calls again fifteen seconds after it was cut off, or at once where it is set anew.
    let config = phone.Config;

    await t.step("the tunnel runs, and says by what", async () => {
      await eventually("the tunnel is up", async () => {
        const { json } = await router.api("GET", `${PATH}/settings`);
        return json.Running;
      });
      const { json } = await router.api("GET", `${PATH}/settings`);
      const [link] = JSON.parse(
        await lab.must("router", "ip", ["-d", "-j", "link", "show", "dev", "wg0"]),
      );
      const isKernel = link.linkinfo.info_kind === "wireguard";
      assert.equal(json.Backend, isKernel ? "kernel" : "wireguard-go");
      assert.equal(json.Problem, "");
      assert.equal(link.mtu, 1420);
    });

    await t.step("a peer without policies is in touch, and reaches nothing", async () => {
      await eventually("a handshake", async () => {
        await lab.ping("road", a.IP);
        return (await seen()).Online;
      });
      assert.match((await seen()).Endpoint, new RegExp(`^${ROAD.replaceAll(".", "\\.")}:\\d+$`));
      for (const address of [a.IP, b.IP, INTERNET]) {
        assert.equal(await lab.ping("road", address), false, address);
      }
      assert.equal(await lab.tcp("road", "192.168.2.1", 80), "timeout");
    });

    await t.step("traffic passes by policy and group alone", async () => {
      const change = async (body: Readonly<Record<string, unknown>>) =>
        await give(router, key(await seen()), body);
      await change({ Policies: ["wan"] });
      await reaches(lab, "road", INTERNET);
      assert.equal(await lab.ping("road", a.IP), false);
      await change({ Policies: ["wan"], Groups: ["family"] });
      await give(router, a.mac, { Groups: ["family"] });
      await reaches(lab, "road", a.IP);
      await reaches(lab, "a", phone.Interface.Address);
      assert.equal(await lab.ping("road", b.IP), false);
      assert.equal(await lab.ping("b", phone.Interface.Address), false);
      await change({ Policies: ["lan"], Groups: [] });
      await reaches(lab, "road", b.IP);
      assert.equal(await lab.ping("road", INTERNET), false);
      const why = await router.api(
        "GET",
        `/reach?from=${key(await seen())}&to=${b.mac}&protocol=tcp&port=80`,
      );
      assert.match(why.json.reason, /policy lan .* of phone/);
    });

    await t.step("names are resolved by the router, for those who may", async () => {
      const ask = async () => data(await dig(lab, "road", "192.168.2.1", "client-a.lan"));
      await give(router, key(await seen()), { Policies: ["wan", "lan", "dns"] });
      await eventually("a name", async () => await ask() === a.IP);
    });

    await t.step("an address that is not the peer's own gets nowhere", async () => {
      await lab.must("road", "ip", ["address", "add", a.IP, "dev", "wgphone"]);
      assert.equal((await lab.exec("road", "ping", ["-c1", "-W1", "-I", a.IP, b.IP])).ok, false);
      await lab.must("road", "ip", ["address", "del", `${a.IP}/32`, "dev", "wgphone"]);
    });

    await t.step("another peer is added, and touches no other", async () => {
      held = await lab.hold("road", INTERNET);
      const before = await seen();
      const laptop = await put(router, "/peer", {
        Name: "laptop",
        Tunnel: "split",
        Policies: ["lan"],
      });
      const second = await TunnelPeer.start(lab, "wan", {
        link: "wglaptop",
        config: laptop.Config,
        routes: ["192.168.2.0/24"],
      });
      await reaches(lab, "wan", b.IP);
      assert.equal((await seen()).LatestHandshake, before.LatestHandshake, "no new session");
      assert.equal(await held.breaks(), false);
      await second.stop();
    });

    await t.step("a peer that roams goes on, and its new place is shown", async () => {
      const before = (await seen()).Endpoint;
      await first.roam(45_454);
      assert.equal(await held!.breaks(), false);
      await eventually("its new place", async () => (await seen()).Endpoint === `${ROAD}:45454`);
      assert.notEqual(before, `${ROAD}:45454`);
    });

    await t.step("no process that is killed ends the tunnel", async () => {
      const carriers = await programsIn(lab, "wireguard-go");
      const ours = async () => (await programsIn(lab, "wireguard-go")).toSorted().join();
      const stood = carriers.toSorted().join();
      for (const name of ["wireguard", "netd", "api"]) {
        await crash(lab, name);
        assert.equal(await held!.breaks(), false, name);
      }
      assert.equal(await ours(), stood, "the same program carries it");
      await eventually("the api knows it again", async () => {
        const answer = await router.api("GET", `${PATH}/peers`);
        return answer.status === 200 && (await seen()).Online;
      });
      await router.stop("SIGKILL");
      assert.equal(await held!.breaks(), false, "all of Sluice");
      await router.start();
      assert.equal(await held!.breaks(), false);
      assert.equal(await ours(), stood);
    });

    await t.step("a tunnel whose carrier is killed is made again", async () => {
      const [carrier] = await programsIn(lab, "wireguard-go");
      if (carrier === undefined) await lab.must("router", "ip", ["link", "delete", "wg0"]);
      else Deno.kill(carrier, "SIGKILL");
      await eventually("it is made", async () => (await listed(router)).every(isNew));
      await first.configure(config);
      await reaches(lab, "road", b.IP);
    });

    await t.step("another key cuts the old one off and keeps the device", async () => {
      const before = await seen();
      const next = await put(router, "/peer/rotate", {
        PublicKey: before.PublicKey,
      });
      await eventually("the old key is cut off", async () => !await lab.ping("road", b.IP));
      config = next.Config;
      await first.configure(config);
      await reaches(lab, "road", b.IP);
      assert.equal(next.Interface.Address, phone.Interface.Address);
      const all = (await router.api("GET", "/devices")).json as Record<string, { Name: string }>;
      const named = Object.entries(all).filter(([, { Name }]) => Name === "phone");
      assert.deepEqual(named.map(([identity]) => identity), [(await seen()).Identity]);
      assert.notEqual((await seen()).PublicKey, before.PublicKey);
    });

    await t.step(
      "a key replaced while the process wireguard hangs is cut off at once",
      async () => {
        const open = await lab.hold("road", INTERNET);
        const [pid] = await pidsOf(lab, "wireguard");
        Deno.kill(pid!, "SIGSTOP");
        try {
          const next = await put(router, "/peer/rotate", { PublicKey: (await seen()).PublicKey });
          assert.match(next.Problem, /process wireguard does not respond/);
          assert.equal(await open.breaks(), true);
          assert.equal(await lab.ping("road", b.IP), false);
          assert.equal(await lab.ping("b", phone.Interface.Address), false);
          config = next.Config;
        } finally {
          Deno.kill(pid!, "SIGCONT");
        }
        await first.configure(config);
        await reaches(lab, "road", b.IP);
      },
    );

    await t.step(
      "turned off while no process wireguard is there, no peer reaches anything",
      async () => {
        const [pid] = await pidsOf(lab, "wireguard");
        Deno.kill(pid!, "SIGSTOP");
        try {
          await put(router, "/down");
          assert.equal(await lab.ping("road", b.IP), false);
        } finally {
          Deno.kill(pid!, "SIGKILL");
        }
        await put(router, "/up");
        await first.configure(config);
        await reaches(lab, "road", b.IP);
      },
    );

    await t.step("turned off it is gone, turned on it is back with all peers", async () => {
      await put(router, "/down");
      await eventually("wg0 is gone", async () => {
        return !(await lab.exec("router", "ip", ["link", "show", "dev", "wg0"])).ok;
      });
      assert.equal(await lab.ping("road", b.IP), false);
      assert.equal((await router.api("GET", `${PATH}/status`)).json.wg0, undefined);
      await put(router, "/up");
      await eventually("it is back", async () => {
        const { json } = await router.api("GET", `${PATH}/status`);
        return Object.keys(json.wg0?.peers ?? {}).length === 2;
      });
      await first.configure(config);
      await reaches(lab, "road", b.IP);
    });

    await t.step("a blocked device is off the tunnel, and back when it is let in", async () => {
      const identity = key(await seen());
      await give(router, identity, { DeviceDisabled: true });
      await eventually("it is cut off", async () => !await lab.ping("road", b.IP));
      await give(router, identity, { DeviceDisabled: false, Policies: ["lan", "wan"] });
      await first.configure(config);
      await reaches(lab, "road", b.IP);
    });

    await t.step("a revoked peer is cut off at once, its open connections too", async () => {
      const open = await lab.hold("road", INTERNET);
      const answer = await router.api("DELETE", `${PATH}/peer`, {
        body: { PublicKey: (await seen()).PublicKey },
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(await lab.ping("road", b.IP), false);
      assert.equal(await open.breaks(), true);
      await eventually("the tunnel knows it no more", async () => {
        const { json } = await router.api("GET", `${PATH}/status`);
        return Object.keys(json.wg0.peers).length === 1;
      });
    });

    await t.step("no key stands in a log or on a command line", async () => {
      const { PrivateKey, Peers } = JSON.parse(
        await Deno.readTextFile(`${router.home}/configs/wireguard/wireguard.json`),
      );
      assert.equal(
        (await must("stat", ["-c", "%a", `${router.home}/configs/wireguard/wireguard.json`])).trim()
          .endsWith("00"),
        true,
      );
      for (const secret of [PrivateKey, Peers[0].PresharedKey]) {
        assert.ok(!router.process.output.includes(secret));
      }
    });
    await first.stop();
  });
  await Deno.remove(covers["/run/wireguard"], { recursive: true });
});
