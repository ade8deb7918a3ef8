import assert from "node:assert/strict";
import * as fc from "fast-check";
import { addressFault } from "../../../../system/alerts/delivery/own_network.ts";

const OWN = {
  addresses: ["203.0.113.2", "192.168.2.1", "2001:db8:1::1"],
  networks: ["192.168.2.0/24", "198.51.100.16/28", "2001:db8:2::1/64"],
};

const ITSELF = [
  ...["0.0.0.0", "127.0.0.1", "127.8.9.10", "169.254.169.254", "224.0.0.251", "255.255.255.255"],
  ...["::", "::1", "::7f00:1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "::ffff:127.0.0.1"],
  ...["64:ff9b::7f00:1", "2002:7f00:1::1", "2002:a9fe:a9fe::", "nonsense", "127.1", "0x7f.0.0.1"],
  ...OWN.addresses,
  "::ffff:203.0.113.2",
];
const HOME = [
  ...["192.168.2.7", "192.168.9.9", "10.0.0.1", "172.16.0.1", "100.64.0.1", "fd00::1"],
  ...["198.51.100.17", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2001:db8:2::99"],
];
const INTERNET = ["9.9.9.9", "198.51.100.32", "2001:db8:3::1", "2620:fe::fe", "::ffff:9.9.9.9"];

const fault = (address: string, localNetwork: boolean) =>
  addressFault(address, { own: OWN, localNetwork });

Deno.test("nothing is sent to the router itself, whatever the channel may", () => {
  for (const address of ITSELF) {
    for (const may of [false, true]) assert.notEqual(fault(address, may), null, address);
  }
});

Deno.test("private addresses and the LAN are sent to only where the channel may", () => {
  for (const address of HOME) {
    assert.match(fault(address, false) ?? "", /not on the Internet/, address);
    assert.equal(fault(address, true), null, address);
  }
  for (const address of INTERNET) assert.equal(fault(address, false), null, address);
});

Deno.test("no form of an address of 127.0.0.0/8 passes", () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 0xffffff }), (rest) => {
    const dotted = `127.${rest >> 16}.${rest >> 8 & 255}.${rest & 255}`;
    const low = (rest & 0xffff).toString(16), high = (0x7f00 | rest >> 16).toString(16);
    for (
      const form of [
        dotted,
        `::ffff:${dotted}`,
        `::${dotted}`,
        `64:ff9b::${dotted}`,
        `2002:${high}:${low}::1`,
      ]
    ) assert.notEqual(fault(form, true), null, form);
  }));
});
