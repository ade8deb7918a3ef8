import assert from "node:assert/strict";
import fc from "fast-check";
import {
  formatAddress,
  formatIpv4,
  inRange4,
  isGroupMac,
  normalizeMac,
  overlaps4,
  parseAddress,
  parseIpv4,
  parseRange4,
  sourceKey,
} from "../../../system/core/net/net.ts";

Deno.test("parseIpv4 takes a dotted quad and nothing looser", () => {
  assert.equal(parseIpv4("192.168.2.10"), 0xc0a8020a);
  for (
    const text of [
      "1",
      "1.2.3",
      "1.2.3.4.5",
      "256.1.1.1",
      "01.2.3.4",
      "1.2.3.4 ",
      "0x1.2.3.4",
      "1.2.3.-4",
      "",
    ]
  ) {
    assert.equal(parseIpv4(text), null, text);
  }
});

Deno.test("an IPv4 value written and read is the same value", () => {
  fc.assert(fc.property(fc.nat(0xffffffff), (value) => {
    assert.equal(parseIpv4(formatIpv4(value)), value);
  }));
});

Deno.test("an IPv6 value written and read is the same value, in its shortest text", () => {
  fc.assert(fc.property(fc.bigInt(0n, 2n ** 128n - 1n), (value) => {
    const text = formatAddress({ family: 6, value });
    assert.deepEqual(parseAddress(text), { family: 6, value });
    assert.equal(new URL(`http://[${text}]/`).hostname, `[${text}]`);
  }));
});

Deno.test("parseAddress refuses zones, double gaps and short forms", () => {
  assert.equal(formatAddress(parseAddress("2001:DB8::0:1")!), "2001:db8::1");
  assert.equal(formatAddress(parseAddress("::ffff:192.168.2.1")!), "::ffff:c0a8:201");
  assert.equal(formatAddress(parseAddress("::")!), "::");
  for (
    const text of [
      "fe80::1%eth0",
      "1::2::3",
      "1:2:3",
      ":1",
      "12345::",
      "::1.2.3",
      "g::",
      "1:2:3:4:5:6:7:8:9",
    ]
  ) {
    assert.equal(parseAddress(text), null, text);
  }
});

Deno.test("parseRange4 spans the network that holds the address", () => {
  assert.deepEqual(parseRange4("192.168.2.5/24"), {
    first: 0xc0a80200,
    last: 0xc0a802ff,
    prefix: 24,
  });
  assert.deepEqual(parseRange4("0.0.0.0/0"), { first: 0, last: 0xffffffff, prefix: 0 });
  for (const text of ["1.2.3.4/33", "1.2.3.4/", "1.2.3.4/-1", "1.2.3.4/024", "::/0"]) {
    assert.equal(parseRange4(text), null, text);
  }
});

Deno.test("two spans overlap exactly when one holds the other's first address", () => {
  const cidr = fc.tuple(fc.nat(0xffffffff), fc.integer({ min: 8, max: 32 }))
    .map(([value, prefix]) => parseRange4(`${formatIpv4(value)}/${prefix}`)!);
  fc.assert(fc.property(cidr, cidr, (a, b) => {
    assert.equal(overlaps4(a, b), inRange4(a, b.first) || inRange4(b, a.first));
  }));
});

Deno.test("a MAC in any case and with either separator is one text", () => {
  for (const text of ["02:00:00:00:0A:01", "02-00-00-00-0a-01", "02:00-00:00-0a:01"]) {
    assert.equal(normalizeMac(text), "02:00:00:00:0a:01");
  }
  for (
    const text of [
      "0200.0000.0a01",
      "02:00:00:00:0a",
      "02:00:00:00:0a:01:02",
      "02:00:00:00:0g:01",
      " 02:00:00:00:0a:01",
    ]
  ) {
    assert.equal(normalizeMac(text), null, text);
  }
  assert.equal(isGroupMac("ff:ff:ff:ff:ff:ff"), true);
  assert.equal(isGroupMac("02:00:00:00:0a:01"), false);
});

Deno.test("sourceKey() is an IPv4 address, or the /64 of an IPv6 one", () => {
  assert.equal(sourceKey("192.0.2.1"), "192.0.2.1");
  assert.equal(sourceKey("::ffff:192.0.2.1"), "192.0.2.1");
  assert.equal(sourceKey("2001:db8:0:1:2:3:4:5"), "2001:db8:0:1::/64");
  assert.equal(sourceKey("fe80::1%eth0"), "fe80::/64");
  assert.equal(sourceKey("::1"), "::/64");
});
