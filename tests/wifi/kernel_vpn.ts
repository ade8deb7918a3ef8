import assert from "node:assert/strict";
import { eventually } from "../kit/lab/bed.ts";
import { must } from "../kit/lab/command.ts";
import { INTERNET } from "../kit/lab/lab.ts";
import { addRoad, ROAD } from "../kit/lab/tunnel_peer.ts";
import type { Air } from "../kit/wifi/air.ts";

const PATH = "/plugins/wireguard";
const LINK = "wgaway";

/** The configuration of a WireGuard client, without what only wg-quick knows. */
const plain = (config: string): string =>
  config.split("\n").filter((line) => !/^(Address|DNS|MTU) =/.test(line)).join("\n");

/** What {@link kernelVpn} acts on beside the lab. */
export interface VpnMachine {
  /** Processes of the router whose command line fits. */
  readonly processes: (pattern: RegExp) => Promise<readonly number[]>;
}

/** A phone away from home, both ends of its tunnel carried by the kernel's own WireGuard. */
export async function kernelVpn(
  { lab, call, router }: Air,
  { processes }: VpnMachine,
): Promise<void> {
  await addRoad(lab);
  const configure = (config: string): Promise<string> =>
    lab.must("road", "wg", ["setconf", LINK, "/dev/stdin"], plain(config));
  const reaches = (): Promise<boolean> => lab.ping("road", INTERNET);
  // deno-lint-ignore no-explicit-any -- a peer is read as its JSON
  const seen = async (): Promise<any> => (await call("GET", `${PATH}/peers`)).json[0];

  const { json: phone } = await call("PUT", `${PATH}/peer`, { Name: "Away" });
  await must("ip", ["-n", lab.space("road"), "link", "add", LINK, "type", "wireguard"]);
  const ip = (...args: readonly string[]): Promise<string> => lab.must("road", "ip", args);
  await configure(phone.Config);
  await ip("address", "add", phone.Interface.Address, "dev", LINK);
  await ip("link", "set", LINK, "up");
  await ip("route", "add", `${INTERNET}/32`, "dev", LINK);
  await eventually("the peer is in touch", async () => {
    await reaches();
    return (await seen()).Online;
  });
  assert.equal((await call("GET", `${PATH}/settings`)).json.Backend, "kernel");
  assert.equal(await reaches(), false, "nothing without a policy");

  const identity = encodeURIComponent((await seen()).Identity);
  await call("PUT", `/device?identity=${identity}`, { Policies: ["wan"] });
  await eventually("it reaches the Internet", reaches);
  const held = await lab.hold("road", INTERNET);
  await lab.must("road", "wg", ["set", LINK, "listen-port", "45454"]);
  assert.equal(await held.breaks(), false, "it roams");
  await eventually("its new place", async () => (await seen()).Endpoint === `${ROAD}:45454`);
  const [before] = await processes(/wireguard\.js wireguard /);
  Deno.kill(before!, "SIGKILL");
  await eventually("another process keeps the tunnel", async () => {
    const [now] = await processes(/wireguard\.js wireguard /);
    return now !== undefined && now !== before;
  });
  assert.equal(await held.breaks(), false, "its process is killed");

  const { json: next } = await call("PUT", `${PATH}/peer/rotate`, {
    PublicKey: (await seen()).PublicKey,
  });
  assert.equal(await held.broke, "stalled", "the old key is cut off");
  await held.close();
  assert.equal(next.Interface.Address, phone.Interface.Address);
  await configure(next.Config);
  await eventually("the new key leads on", reaches);
  await call("DELETE", `${PATH}/peer`, { PublicKey: (await seen()).PublicKey });
  await eventually("it is revoked", async () => !await reaches());
  for (const config of [phone.Config, next.Config] as readonly string[]) {
    const [, key = "none"] = /^PrivateKey = (\S+)$/m.exec(config) ?? [];
    assert.ok(!router.process.output.includes(key));
  }
}
