import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { sockets } from "../../../system/processes.ts";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import { type Lab, PROVIDER, UPLINK } from "../../kit/lab/lab.ts";
import { type LabProcess, must } from "../../kit/lab/command.ts";

const SSDP = ["239.255.255.250", "1900"] as const;
const SCRIPT = fileURLToPath(new URL("../../kit/programs/multicast.ts", import.meta.url));
const RUN = ["run", "-q", "-A", SCRIPT];
/** Addresses of the peer and of the router's side of its network. */
const PEER = "192.168.2.250", ROUTER = "192.168.2.249";
/** UDP ports of the tunnel's ends. */
const PORT = { router: 51820, peer: 51821 };

interface Tunnel {
  readonly link: string;
  /** File of the private key. */
  readonly key: string;
  readonly port: number;
  /** What `wg set` is told of the other end. */
  readonly peer: readonly string[];
}

/** Starts a WireGuard interface of its own process; its control socket is seen by nobody else. */
async function tunnel(lab: Lab, part: string, { link, key, port, peer }: Tunnel) {
  const control = "/run/wireguard";
  const script = [
    `mkdir -p ${control} && mount -t tmpfs sluice-test ${control} || exit 1`,
    "(",
    `while ! [ -S ${control}/${link}.sock ]; do sleep 0.05; done`,
    `wg set ${link} private-key ${key} listen-port ${port} "$@" || exit 1`,
    `ip link set ${link} up && echo ready`,
    ") &",
    `exec wireguard-go -f ${link}`,
  ].join("\n");
  const process = lab.spawn(part, "unshare", ["--mount", "sh", "-c", script, "sh", ...peer]);
  await process.line(/^ready$/);
  return process;
}

async function keys(folder: string, name: string): Promise<{ file: string; open: string }> {
  const file = `${folder}/${name}`;
  const secret = await must("wg", ["genkey"]);
  await Deno.writeTextFile(file, secret, { mode: 0o600 });
  return { file, open: (await must("wg", ["pubkey"], secret)).trim() };
}

async function listen(lab: Lab, part: string): Promise<LabProcess> {
  const process = lab.spawn(part, Deno.execPath(), [...RUN, ...SSDP, "hear"]);
  await process.line(/^ready$/);
  return process;
}

const count = (process: LabProcess, text: string): number =>
  process.output.split("\n").filter((row) => row.includes(text)).length;

Deno.test("multicast reaches a VPN peer as a unicast copy, and is reflected from it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-vpn-" });
  try {
    const bed = { name: "mcastvpn", lab: { clients: 2 }, router: { services: "multicastd" } };
    await withBed(bed, async ({ lab, router, clients }) => {
      const [a] = clients;
      for (const { mac } of clients) await give(router, mac, { Policies: ["wan"] });
      const [ours, theirs] = [await keys(folder, "ours"), await keys(folder, "theirs")];
      await tunnel(lab, "router", {
        link: "wg0",
        key: ours.file,
        port: PORT.router,
        peer: [
          ...["peer", theirs.open, "allowed-ips", `${PEER}/32`],
          ...["endpoint", `${PROVIDER}:${PORT.peer}`, "persistent-keepalive", "1"],
        ],
      });
      await tunnel(lab, "wan", {
        link: "wgpeer",
        key: theirs.file,
        port: PORT.peer,
        peer: [
          ...["peer", ours.open, "allowed-ips", "192.168.2.0/24,224.0.0.0/4"],
          ...["endpoint", `${UPLINK}:${PORT.router}`],
        ],
      });
      const wan = (...args: readonly string[]) => lab.must("wan", "ip", args);
      await wan("address", "add", `${PEER}/30`, "dev", "wgpeer");
      await wan("route", "add", `${SSDP[0]}/32`, "dev", "wgpeer");
      const body = JSON.stringify({ IP: PEER, PublicKey: theirs.open, Iface: "wg0" });
      const report = ["-sSf", "-X", "PUT", "-d", body, "http://sluice/wireguardUpdate"];
      const { wireguard } = sockets(router.home);
      await lab.must("router", "curl", ["--unix-socket", wireguard, ...report]);
      const port = { Port: "1900", Upstream: false };
      assert.equal((await router.api("PUT", "/firewall/multicast", { body: port })).status, 200);
      await eventually("the peer reaches the router", () => lab.ping("wan", ROUTER));

      const peer = await listen(lab, "wan");
      const home = await listen(lab, "b");
      const say = (part: string, text: string) =>
        lab.must(part, Deno.execPath(), [...RUN, ...SSDP, "say", text]);
      await eventually("the peer hears", async () => {
        await say("a", "M-SEARCH from home");
        return count(peer, `${a!.IP} M-SEARCH from home`) > 0;
      });
      assert.ok(count(home, `${a!.IP} M-SEARCH from home`) > 0);
      await eventually("home hears the peer", async () => {
        await say("wan", "M-SEARCH from afar");
        return count(home, `${PEER} M-SEARCH from afar`) > 0;
      });
      assert.equal(count(peer, `${PEER} M-SEARCH from afar`), 0, "not back to who said it");
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
