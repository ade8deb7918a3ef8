import assert from "node:assert/strict";
import fc from "fast-check";
import { formatUptime, releaseTags, sortedTags } from "../../../system/machine/rules.ts";
import { goDuration } from "../../../system/machine/ping.ts";
import { parseSockets } from "../../../system/host/tools/ss.ts";
import { PingRequest, Target, TargetPort } from "../../../system/core/machine/schema.ts";
import { readBusLine, writeBusLine } from "../../../system/events/bus_line.ts";
import { checksum, echoRequest } from "../../../system/host/sockets/ping.ts";

Deno.test("a duration is formatted as Go does", () => {
  // Of the package documentation of Go's time.Duration.
  assert.equal(goDuration(1_234_567), "1.234567ms");
  assert.equal(goDuration(512_300), "512.3µs");
  assert.equal(goDuration(1_500_000_000), "1.5s");
  assert.equal(goDuration(999), "999ns");
  assert.equal(goDuration(1000), "1µs");
});

Deno.test("only a host address can be pinged, never a name", () => {
  for (const good of ["192.0.2.1", "2001:db8::1", "FE80::1"]) {
    assert.ok(Target.safeParse(good).success, good);
  }
  const bad = ["example.org", "", "0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "ff02::1"];
  for (const one of [...bad, "fe80::1%eth0", "192.0.2.1/24", "-n", "192.0.2.1 -c 1", "0x7f.1"]) {
    assert.ok(!Target.safeParse(one).success, one);
  }
});

Deno.test("a UDP ping takes an address with a port from 1 to 65535", () => {
  assert.deepEqual(TargetPort.parse("192.0.2.1:53"), { address: "192.0.2.1", port: 53 });
  assert.deepEqual(TargetPort.parse("[2001:db8::1]:65535"), {
    address: "2001:db8::1",
    port: 65535,
  });
  const bad = ["192.0.2.1", "192.0.2.1:0", "192.0.2.1:65536", "192.0.2.1:-1", "192.0.2.1:5 3"];
  for (const one of [...bad, "2001:db8::1:53", "[192.0.2.1]:53", "host:53", ":53", "[::1]:"]) {
    assert.ok(!TargetPort.safeParse(one).success, one);
  }
  fc.assert(fc.property(fc.string(), (text) => void TargetPort.safeParse(text)));
});

Deno.test("netd accepts a ping only from an interface to an address", () => {
  assert.ok(PingRequest.safeParse({ link: "lan0", address: "192.0.2.1" }).success);
  assert.ok(!PingRequest.safeParse({ link: "lan0;x", address: "192.0.2.1" }).success);
  assert.ok(!PingRequest.safeParse({ link: "lan0", address: "192.0.2.1", port: 70000 }).success);
});

Deno.test("an echo reply counts only with its identifier, sequence number and token", () => {
  const ask = { isIpv6: false, id: 0x1234, sequence: 2 };
  const { bytes, isReply } = echoRequest(ask);
  assert.equal(checksum(bytes), 0, "the checksum over the whole is zero (RFC 1071)");
  const answer = Uint8Array.from(bytes);
  answer[0] = 0;
  assert.ok(isReply(answer));
  assert.ok(!isReply(bytes), "the question itself");
  for (let at = 4; at < answer.length; at++) {
    const other = Uint8Array.from(answer);
    other[at]! ^= 1;
    assert.ok(!isReply(other), `byte ${at}`);
  }
  assert.ok(!isReply(answer.subarray(0, 12)));
  const six = echoRequest({ ...ask, isIpv6: true });
  assert.equal(six.bytes[0], 128);
  assert.ok(six.isReply(Uint8Array.from(six.bytes).fill(129, 0, 1)));
});

Deno.test("sockets are parsed from ss, invalid lines skipped", () => {
  const text = [
    "tcp   LISTEN 0      128          0.0.0.0:22         0.0.0.0:*",
    "udp   UNCONN 0      0      192.168.2.1%lan0:67      0.0.0.0:*",
    "Netid State  Recv-Q Send-Q",
    "garbage",
  ].join("\n");
  const found = parseSockets(text);
  assert.deepEqual(found.map(({ local_port }) => local_port), ["22", "67"]);
  assert.equal(found[0]?.peer_port, "*");
});

Deno.test("only release tags are listed, oldest first", () => {
  const packed =
    "# pack-refs with: peeled\nabc refs/tags/v1.2.0\ndef refs/heads/main\nx refs/tags/odd\n";
  assert.deepEqual(releaseTags(packed, ["v1.10.0", "v1.2.0", "v0.9.1"]), [
    "v0.9.1",
    "v1.2.0",
    "v1.10.0",
  ]);
  // The example of semver.org 11, and what it says of numbers.
  const ordered = ["alpha", "alpha.1", "alpha.beta", "beta", "beta.2", "beta.11", "rc.1"]
    .map((extra) => `v1.0.0-${extra}`);
  assert.deepEqual(sortedTags([...ordered.toReversed(), "v1.0.0"]), [...ordered, "v1.0.0"]);
  assert.deepEqual(sortedTags(["v1.0.0", "v1.0.0-beta.1", "sha256-x", "v1"]), [
    "v1.0.0-beta.1",
    "v1.0.0",
  ]);
});

Deno.test("uptime is formatted as text and in seconds", () => {
  const text = formatUptime({ seconds: 93_784.5, load: [0.123, 1, 2], at: new Date(0) });
  assert.equal(text["uptime"], "1 day, 2:03");
  assert.equal(text["uptime_total_seconds"], 93_784);
  assert.equal(text["load_1m"], 0.12);
});

Deno.test("a line of the event bus is an object with topic and text value", () => {
  assert.deepEqual(readBusLine('{"topic":"a:b","value":"{}"}'), {
    kind: "publish",
    topic: "a:b",
    value: "{}",
  });
  assert.deepEqual(readBusLine('{"topic":"subscribe:dns:","value":""}'), {
    kind: "subscribe",
    prefix: "dns:",
  });
  for (const odd of ["", "{", "[]", '{"topic":"a"}', '{"topic":"","value":""}', '{"topic":1}']) {
    assert.equal(readBusLine(odd), null, odd);
  }
  fc.assert(fc.property(fc.string({ minLength: 1 }), fc.jsonValue(), (topic, data) => {
    fc.pre(!topic.startsWith("subscribe:"));
    const line = readBusLine(writeBusLine({ topic, data }));
    assert.equal(line?.kind === "publish" && line.topic, topic);
  }));
});
