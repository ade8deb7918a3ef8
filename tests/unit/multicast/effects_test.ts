import assert from "node:assert/strict";
import { multicastEffects } from "../../../system/multicast/effects.ts";
import { MulticastSettings } from "../../../system/multicast/schema.ts";
import { changeOf } from "../../kit/builders/effects.ts";
import { configWith } from "../../kit/builders/device_config.ts";

Deno.test("whether devices find each other is reported for each group that comes or goes", () => {
  const config = (multicast: unknown) =>
    configWith({ multicast: MulticastSettings.parse(multicast) });
  const mdns = { Address: "224.0.0.251:5353" };
  const effects = (before: unknown, after: unknown) =>
    multicastEffects(changeOf(config(before), config(after)));
  const lost =
    "Devices on different interfaces no longer find each other by mDNS (224.0.0.251:5353)";
  assert.deepEqual(effects({ Addresses: [mdns] }, { Addresses: [mdns], Disabled: true }), [lost]);
  assert.deepEqual(effects({ Addresses: [mdns] }, { Addresses: [{ ...mdns, Disabled: true }] }), [
    lost,
  ]);
  assert.deepEqual(effects({}, { Addresses: [{ ...mdns, Tags: ["media"] }] }), [
    "Devices on different interfaces find each other by mDNS (224.0.0.251:5353), " +
    "towards interfaces of devices with the tag media",
  ]);
});
