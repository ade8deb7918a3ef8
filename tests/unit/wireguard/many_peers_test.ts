import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import { followPeers } from "../../../system/wireguard/changes_elsewhere.ts";
import { deviceOfKey } from "../../../system/wireguard/peers/rules.ts";
import { DEFAULT_WIREGUARD } from "../../../system/wireguard/schema.ts";
import { configWith, device, KEY, mac, OTHER_KEY } from "../../kit/builders/device_config.ts";

const DEVICES = 300;
const keyOf = (n: number) => `${String(n).padStart(43, "0")}=`;
const peerOf = (PublicKey: string) => ({ PublicKey, PresharedKey: "", PersistentKeepalive: 0 });

Deno.test("the devices of many keys are found without reading all devices for each", () => {
  const devicesOf = (keys: (n: number) => string) =>
    Object.fromEntries(
      Array.from({ length: DEVICES }, (_, n) => [mac(n), device(mac(n), { WGPubKey: keys(n) })]),
    );
  const Peers = Array.from({ length: DEVICES }, (_, n) => peerOf(keyOf(n)));
  const wireguard = { ...DEFAULT_WIREGUARD, Peers };
  const before = configWith({ devices: devicesOf(keyOf), wireguard });
  let reads = 0;
  // Each key moves to the next device, but for the last, which no device has any more.
  const devices = new Proxy(devicesOf((n) => n === 0 ? "" : keyOf(n - 1)), {
    get(target, name, receiver) {
      reads++;
      return Reflect.get(target, name, receiver);
    },
  });
  const after: Config = { ...before, devices };
  const { config, effects } = followPeers({ before, after } as Parameters<typeof followPeers>[0]);
  assert.deepEqual(config.wireguard.Peers, Peers.slice(0, -1));
  assert.equal(effects.length, 1);
  assert.ok(reads <= 5 * DEVICES, `${reads} reads`);
});

Deno.test("a key's device is the one of that identity, else the first with the key", () => {
  const config = configWith({
    devices: {
      [mac(1)]: device(mac(1), { WGPubKey: KEY }),
      [mac(2)]: device(mac(2), { WGPubKey: OTHER_KEY }),
      [mac(3)]: device(mac(3), { WGPubKey: OTHER_KEY }),
      [KEY]: device(KEY, { WGPubKey: KEY }),
    },
  });
  assert.equal(deviceOfKey(config, KEY), KEY);
  assert.equal(deviceOfKey(config, OTHER_KEY), mac(2));
  assert.equal(deviceOfKey(config, keyOf(1)), null);
});
