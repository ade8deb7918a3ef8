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

Deno.test("the rates are those of all devices, or of one", async () => {
  let steady = 0;
  await using router = await testRouter({ steady: () => steady });
  const rates = async (query = "") => {
    steady += 5000;
    return await router.json<{ items: unknown[]; total: unknown }>("GET", `/traffic_rates${query}`);
  };
  router.host.counted = {
    counters: {
      incoming_traffic_wan: [["192.168.2.6", 10, 15_000], ["192.168.2.10", 1, 60]],
      outgoing_traffic_lan: [["192.168.2.10", 1, 40]],
    },
    flows: null,
  };
  const none = { LanIn: 0, LanOut: 0, WanIn: 0, WanOut: 0 };
  assert.deepEqual(await rates(), { items: [], total: { ...none, WanIn: 15_060, LanOut: 40 } });
  const one = { ...none, WanIn: 60, LanOut: 40 };
  assert.deepEqual((await rates("?address=192.168.2.10")).total, one);
  assert.deepEqual((await rates("?address=192.168.2.99")).total, none);
  for (const query of ["minutes=0", "minutes=1441", "minutes=-1", "minutes=x", "address=tv"]) {
    assert.equal((await router.ask("GET", `/traffic_rates?${query}`)).status, 400, query);
  }
});
