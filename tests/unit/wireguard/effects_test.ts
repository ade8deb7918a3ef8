import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import type { PatchEntry } from "../../../system/core/engine/change.ts";
import { vpnEffects } from "../../../system/wireguard/effects.ts";
import { Site, Wireguard } from "../../../system/wireguard/schema.ts";
import { changeOf } from "../../kit/builders/effects.ts";
import { configWith, device, KEY, OTHER_KEY } from "../../kit/builders/device_config.ts";

const SECRET = KEY;

function home(vpn: Partial<Wireguard> = {}): Config {
  return configWith({
    devices: {
      [KEY]: device(KEY, { Name: "Phone", RecentIP: "192.168.2.6" }),
      [OTHER_KEY]: device(OTHER_KEY, { Name: "Laptop", RecentIP: "192.168.2.10" }),
    },
    wireguard: Wireguard.parse({
      Enabled: true,
      ListenPort: 51820,
      PrivateKey: SECRET,
      MTU: 0,
      Endpoints: [],
      Peers: [{ PublicKey: KEY }, { PublicKey: OTHER_KEY }],
      Sites: [],
      ...vpn,
    }),
  });
}

const effects = (after: Config, patch: readonly PatchEntry[] = [], before = home()) =>
  vpnEffects(changeOf(before, after, { patch }));

Deno.test("a VPN that is turned off or on names its devices and its port", () => {
  assert.deepEqual(effects(home({ Enabled: false })), [
    "The VPN is turned off: no VPN access for Phone and Laptop",
  ]);
  assert.deepEqual(effects(home(), [], home({ Enabled: false })), [
    "UDP port 51820 is open to the Internet",
    "The VPN is turned on: VPN access for Phone and Laptop",
  ]);
});

Deno.test("a peer that goes, another port, and a key that is set are reported by device", () => {
  assert.deepEqual(effects(home({ Peers: home().wireguard.Peers.slice(0, 1) })), [
    "The VPN access of Laptop is revoked",
  ]);
  const needed = ["A new VPN configuration is needed by Phone and Laptop"];
  assert.deepEqual(effects(home({ ListenPort: 51821 })), needed);
  const entry = (...path: string[]) => [{ document: "wireguard", path, before: "a", after: "a" }];
  assert.deepEqual(effects(home(), entry("PrivateKey")), needed);
  assert.deepEqual(effects(home(), entry("Peers", KEY, "PresharedKey")), [
    "A new VPN configuration is needed by Phone",
  ]);
});

Deno.test("networks of a site that come and go are reported", () => {
  const site = Site.parse({
    Name: "Cabin",
    Interface: "site0",
    PrivateKey: SECRET,
    PeerPublicKey: OTHER_KEY,
    Networks: ["192.168.7.0/24"],
    Policies: [],
    Groups: [],
  });
  const with_ = home({ Sites: [site] });
  assert.deepEqual(effects(with_), ["192.168.7.0/24 is reached through the site Cabin"]);
  assert.deepEqual(effects(home({ Sites: [{ ...site, Enabled: false }] }), [], with_), [
    "192.168.7.0/24 of the site Cabin is no longer reached",
  ]);
});
