import assert from "node:assert/strict";
import { networkEffects } from "../../../system/network/effects.ts";
import { changeOf } from "../../kit/builders/effects.ts";
import { configWith, device, KEY, mac } from "../../kit/builders/device_config.ts";
import { link } from "../../kit/builders/small_network.ts";

const TV = mac(1), NAS = mac(2);
const DEVICES = {
  [TV]: device(TV, { Name: "TV", RecentIP: "192.168.2.6" }),
  [NAS]: device(NAS, { Name: "NAS", RecentIP: "192.168.2.10" }),
};
const home = (lan: "Downlink" | "Uplink" | "Other", Enabled = true) =>
  configWith({
    devices: DEVICES,
    interfaces: [link("wan0", "Uplink"), link("lan0", lan, { Enabled }), link("lan1", "Downlink")],
  });
const seen = { [TV]: "lan0", [NAS]: "lan0" };

Deno.test("devices on an interface that is given to something else are named with the reason", () => {
  const effects = (after: ReturnType<typeof home>) =>
    networkEffects(changeOf(home("Downlink"), after, { seen }));
  assert.deepEqual(effects(home("Uplink")), [
    "lan0 becomes a WAN uplink: TV and NAS lose their connection",
  ]);
  assert.deepEqual(effects(home("Other")), [
    "lan0 no longer serves the LAN: TV and NAS lose their connection",
  ]);
  assert.deepEqual(effects(home("Downlink", false)), [
    "lan0 is turned off: TV and NAS lose their connection",
  ]);
  assert.deepEqual(
    networkEffects(changeOf(home("Uplink"), home("Downlink"), { seen: { [TV]: "lan0" } })),
    ["lan0 serves the LAN: TV is connected"],
  );
});

Deno.test("who is online is named before who is not", () => {
  const change = changeOf(home("Downlink"), home("Uplink"), { seen });
  const { devices } = change.observed;
  const observed = { devices: { ...devices, [TV]: { ...devices[TV]!, online: false } } };
  assert.deepEqual(networkEffects({ ...change, observed }), [
    "lan0 becomes a WAN uplink: NAS and TV lose their connection",
  ]);
});

Deno.test("the effects of a replaced network list who needs another address, and where the router is", () => {
  const before = configWith({
    devices: { ...DEVICES, [KEY]: device(KEY, { Name: "Phone", RecentIP: "192.168.2.14" }) },
  });
  const after = { ...before, dhcp: { ...before.dhcp, TinyNets: ["10.20.0.0/16"] } };
  assert.deepEqual(networkEffects(changeOf(before, after)), [
    "TV and NAS: another address at the next renewal of the lease",
    "Phone: no connection until the VPN is set up anew, with another address",
    "This router is at 10.20.0.1 instead of 192.168.2.1",
  ]);
  const wider = {
    ...before,
    dhcp: { ...before.dhcp, TinyNets: ["192.168.2.0/24", "10.20.0.0/16"] },
  };
  assert.deepEqual(networkEffects(changeOf(before, wider)), []);
});

Deno.test("a device that is given another address has no connection until it knows", () => {
  const before = configWith({ devices: DEVICES });
  const moved = { ...DEVICES[TV]!, RecentIP: "192.168.2.18" };
  const after = { ...before, devices: { ...DEVICES, [TV]: moved } };
  assert.deepEqual(networkEffects(changeOf(before, after)), [
    "TV has no connection until it renews its lease and gets 192.168.2.18",
  ]);
});
