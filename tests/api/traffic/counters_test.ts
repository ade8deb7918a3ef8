import assert from "node:assert/strict";
import type { AddressCount } from "../../../system/core/kernel/host.ts";
import { COUNTER_SETS } from "../../../system/traffic/schema.ts";
import { testRouter } from "../../kit/router.ts";

Deno.test("counters are answered by address, and a reset of the kernel's never takes away", async () => {
  let steady = 0;
  await using router = await testRouter({ steady: () => steady });
  const counted = (...list: readonly AddressCount[]) => {
    router.host.counted = { counters: { incoming_traffic_wan: list }, flows: null };
    steady += 5000;
  };
  for (const name of COUNTER_SETS) {
    assert.deepEqual(await router.json("GET", `/traffic/${name}`), []);
  }
  counted(["192.168.2.6", 10, 15_000]);
  const path = "/traffic/incoming_traffic_wan";
  assert.deepEqual(await router.json("GET", path), [
    { IP: "192.168.2.6", Packets: 10, Bytes: 15_000 },
  ]);
  counted(["192.168.2.6", 1, 60]);
  assert.deepEqual(await router.json("GET", path), [
    { IP: "192.168.2.6", Packets: 11, Bytes: 15_060 },
  ]);
  assert.deepEqual(await router.json("GET", "/traffic/outgoing_traffic_wan"), []);
  assert.deepEqual(await router.json("GET", "/traffic_history"), {
    "192.168.2.6": { LanIn: 0, LanOut: 0, WanIn: 15_060, WanOut: 0 },
  });
});

Deno.test("the history is a list with minutes, whatever stands there, and an object without", async () => {
  await using router = await testRouter();
  for (const minutes of ["5", "0", "-1", "abc", "1000000000", "1e9", "", "5.5"]) {
    assert.deepEqual(await router.json("GET", `/traffic_history?minutes=${minutes}`), []);
  }
  assert.deepEqual(await router.json("GET", "/traffic_history"), {});
});

Deno.test("a set that counts no traffic is refused with the names of those that do", async () => {
  await using router = await testRouter();
  for (
    const name of ["all_ip", "uplink_interfaces", "x;y", "incoming_traffic_wan%20", "__proto__"]
  ) {
    const response = await router.ask("GET", `/traffic/${name}`);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /incoming_traffic_wan/);
  }
});
