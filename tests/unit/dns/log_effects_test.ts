import assert from "node:assert/strict";
import { logEffects } from "../../../system/dns/log/effects.ts";
import { DEFAULT_LOG_CONFIG, type LogConfig } from "../../../system/dns/log/schema.ts";
import { changeOf } from "../../kit/builders/effects.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";

function effects(before: Partial<LogConfig>, after: Partial<LogConfig>): readonly string[] {
  const devices = { [mac(1)]: device(mac(1), { Name: "Tablet", RecentIP: "192.168.2.6" }) };
  const config = (log: Partial<LogConfig>) =>
    configWith({ devices, dnsLog: { ...DEFAULT_LOG_CONFIG, ...log } });
  return logEffects(changeOf(config(before), config(after)));
}

Deno.test("whose queries are recorded, and which are deleted, is reported", () => {
  const hidden = { HostPrivacyIPList: ["192.168.2.6"] };
  assert.deepEqual(effects({}, hidden), ["Queries of Tablet are no longer recorded"]);
  assert.deepEqual(effects(hidden, {}), ["Queries of Tablet are recorded from now on"]);
  assert.deepEqual(effects({}, { DomainIgnoreList: ["bank.example"] }), [
    "Queries for bank.example are no longer recorded",
  ]);
  assert.deepEqual(effects({}, { StoreLocalMemory: false }), ["Queries are no longer stored"]);
  assert.deepEqual(effects({}, { RetentionDays: 1, RetentionMegabytes: 50 }), [
    "Queries older than a day are deleted",
    "The oldest queries beyond 50 MB are deleted",
  ]);
  assert.deepEqual(effects({}, { RetentionDays: 30 }), []);
});
