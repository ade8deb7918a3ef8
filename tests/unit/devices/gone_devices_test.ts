import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import { deleteDevice, deleteDevices } from "../../../system/devices/delete.ts";
import { expireDevices } from "../../../system/devices/expiry/expiry.ts";
import { syncDevices } from "../../../system/devices/sync.ts";
import { DEFAULT_BLOCK_CONFIG } from "../../../system/dns/block/document.ts";
import { type BlockConfig, DomainOverride } from "../../../system/dns/block/schema.ts";
import { DEFAULT_LOG_CONFIG } from "../../../system/dns/log/schema.ts";
import { removePeer } from "../../../system/wireguard/peers/rules.ts";
import { configWith, device, KEY, mac } from "../../kit/builders/device_config.ts";

const GONE = "192.168.2.6", STAYS = "192.168.2.10";

const override = (Type: string, ClientIP: string): DomainOverride =>
  DomainOverride.parse({ Type, Domain: "a.example.", ClientIP });

function blocking(clients: readonly string[]): BlockConfig {
  const list = (Name: string) => ({ Name, Enabled: true, Tags: [] });
  return {
    ...DEFAULT_BLOCK_CONFIG,
    ClientIPExclusions: clients.filter((one) => one !== "*"),
    OverrideLists: [
      {
        ...list("Default"),
        PermitDomains: clients.map((one) => override("permit", one)),
        BlockDomains: [],
      },
      {
        ...list("Kids"),
        PermitDomains: [],
        BlockDomains: clients.map((one) => override("block", one)),
      },
    ],
  };
}

/** A device with an address, decided about in each way, beside one that stays. */
function home(identity: string): Config {
  return configWith({
    devices: {
      [identity]: device(identity, {
        RecentIP: GONE,
        DeviceExpiration: 5,
        DeleteExpiration: true,
      }),
      [mac(9)]: device(mac(9), { RecentIP: STAYS }),
    },
    dnsLog: { ...DEFAULT_LOG_CONFIG, HostPrivacyIPList: [GONE, STAYS] },
    dnsBlock: blocking([GONE, "*", STAYS]),
  });
}

Deno.test("whichever way a device goes, nothing decided by its address waits for who gets that next", () => {
  const card = home(mac(1)), peer = home(KEY);
  const removals: Readonly<Record<string, Config>> = {
    "deleted": deleteDevice(card, mac(1))[0],
    "deleted among others": deleteDevices(card, [mac(1), mac(7)])[0],
    "expired": expireDevices(card, { devices: {} }, 6000)[0],
    "synced away": syncDevices(card, { [mac(9)]: { RecentIP: STAYS } }, { force: true })[0],
    "a peer taken out": removePeer(peer, KEY)[0],
  };
  for (const [name, { devices, dnsLog, dnsBlock }] of Object.entries(removals)) {
    assert.deepEqual(Object.keys(devices), [mac(9)], name);
    assert.deepEqual(dnsLog.HostPrivacyIPList, [STAYS], name);
    assert.deepEqual(dnsBlock, blocking(["*", STAYS]), name);
  }
});

Deno.test("a device that goes without an address takes nothing along, and a list without it is the same", () => {
  const start = home(mac(1));
  const bare = { ...start, devices: { ...start.devices, [mac(2)]: device(mac(2)) } };
  const [after] = deleteDevice(bare, mac(2));
  assert.equal(after.dnsBlock, start.dnsBlock);
  assert.equal(after.dnsLog, start.dnsLog);
  const other = { ...start, dnsBlock: blocking(["*", STAYS]) };
  assert.equal(deleteDevice(other, mac(1))[0].dnsBlock, other.dnsBlock);
});
