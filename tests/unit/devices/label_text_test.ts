import assert from "node:assert/strict";
import { readDevices } from "../../../system/devices/read.ts";
import { Label } from "../../../system/devices/schema.ts";
import { PlainIp } from "../../../system/dns/block/schema.ts";
import { PrivateHost } from "../../../system/dns/log/schema.ts";

Deno.test("labels that look alike are one label, and none has direction marks", () => {
  assert.equal(Label.parse("Ｋｉｄｓ"), "kids");
  assert.equal(Label.parse("cafe\u0301"), Label.parse("caf\u00e9"));
  assert.equal(Label.safeParse("kids\u202e").success, false);
  assert.equal(Label.safeParse("\u2066kids").success, false);
  assert.equal(Label.safeParse("ｗａｎ").success, false, "the name of a policy");
});

Deno.test("a client written as an IPv4-mapped address is the client with the IPv4 address", () => {
  for (const schema of [PlainIp, PrivateHost]) {
    assert.equal(schema.parse("::ffff:192.168.2.10"), "192.168.2.10");
    assert.equal(schema.parse("::FFFF:c0a8:20a"), "192.168.2.10");
    assert.equal(schema.parse("fd00::1"), "fd00::1");
  }
});

Deno.test("a stored device keeps a name with direction marks, and its labels lose them", () => {
  const mac = "02:00:00:00:00:0a";
  const { value, rejected } = readDevices({
    [mac]: { MAC: mac, Name: "\u202egnp", DeviceTags: ["kids\u202e"] },
  });
  assert.deepEqual(rejected, []);
  assert.deepEqual([value[mac]?.Name, value[mac]?.DeviceTags], ["\u202egnp", ["kids"]]);
});
