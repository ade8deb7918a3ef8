import assert from "node:assert/strict";
import { lease, recordLease } from "../../../system/dhcp/leases/lease_rules.ts";
import { parseIpv4 } from "../../../system/core/net/net.ts";
import { locateDevices } from "../../../system/network/device_links.ts";
import { requireTag, tagOf, trunkLinks } from "../../../system/network/interfaces/vlan_links.ts";
import { device, kernel, link, network } from "../../kit/builders/small_network.ts";

const DESK = "02:00:00:00:00:0a", LAMP = "02:00:00:00:00:0b", NEW = "02:00:00:00:00:0c";

function trunk(tags: Readonly<Record<string, string>> = { [DESK]: "30", [LAMP]: "40" }) {
  const config = network({}, {
    interfaces: [link("eth1", "Downlink", { Subtype: "VLAN-Trunk" }), link("eth2", "Downlink")],
  });
  const devices = Object.fromEntries(
    Object.entries(tags).map(([mac, VLANTag], at) => [mac, {
      ...device(mac, { ip: `192.168.2.${6 + 4 * at}` }),
      VLANTag,
    }]),
  );
  return { ...config, devices };
}

Deno.test("only a link of a trunk has a tag", () => {
  const config = trunk();
  assert.equal(tagOf(config, "eth1.30"), "30");
  for (
    const name of ["eth1", "eth2.30", "eth1.", "eth1.030", "eth1.x", "eth1.30.1", "wlan0.4096", ""]
  ) {
    assert.equal(tagOf(config, name), "", name);
  }
  const off = { interfaces: [{ ...config.interfaces[0]!, Enabled: false }] };
  assert.equal(tagOf(off, "eth1.30"), "");
});

Deno.test("who copies a card's address on another VLAN gets nothing of its device", () => {
  const config = trunk({ [DESK]: "30", [LAMP]: "" });
  const ask = (mac: string, at: string) =>
    lease(config, { mac, link: at, name: "", candidate: parseIpv4("192.168.2.42") });
  assert.equal(ask(DESK, "eth1.30")[1].address, "192.168.2.6");
  assert.throws(() => ask(DESK, "eth1.40"), { status: 400 });
  assert.throws(() => ask(LAMP, "eth1.30"), { status: 400 });
  assert.equal(ask(LAMP, "eth1")[1].address, "192.168.2.10");
  const record = { mac: DESK, link: "eth1.40", name: "", ip: "192.168.2.6", router: "" };
  assert.throws(() => recordLease(config, record), { status: 400 });
  assert.doesNotThrow(() => recordLease(config, { ...record, link: "eth1.30" }));
  assert.throws(() => requireTag(config, "eth1.30", { VLANTag: "3" }), /tag 3; only devices/);
});

Deno.test("an unknown device on a tag has that tag from then on, and is nowhere else", () => {
  const config = trunk();
  const request = { mac: NEW, link: "eth1.30", name: "n", candidate: parseIpv4("192.168.2.42") };
  const [next] = lease(config, request);
  assert.equal(next.devices[NEW]?.VLANTag, "30");
  assert.deepEqual(next.devices[NEW]?.Policies, ["noapi"]);
  const [plain] = lease(config, { ...request, link: "eth2" });
  assert.equal(plain.devices[NEW]?.VLANTag, "");
  assert.throws(() => lease(next, { ...request, link: "eth1.40" }), { status: 400 });
});

Deno.test("a device has its place on the link of its tag, whatever was seen before it had it", () => {
  const config = trunk();
  const seen = (at: string) => ({ devices: { [DESK]: { link: at } } }) as never;
  const at = (observed: never): readonly (readonly [string, string])[] =>
    locateDevices({ config, observed, facts: kernel(), networks: ["192.168.2.0/24"] })
      .map(({ identity, link }) => [identity, link] as const);
  const [, lamp] = at(seen("eth1.30"));
  assert.deepEqual(lamp, [LAMP, "eth1.40"]);
  assert.deepEqual(at(seen("eth1.30"))[0], [DESK, "eth1.30"]);
  assert.deepEqual(at(seen("eth1.40"))[0], [DESK, "eth1.30"]);
  assert.deepEqual(at(seen("eth2"))[0], [DESK, "eth2"]);
  assert.deepEqual(trunkLinks(config).map(({ name }) => name), ["eth1.30", "eth1.40"]);
});
