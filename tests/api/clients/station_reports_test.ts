import assert from "node:assert/strict";
import type { BusEvent } from "../../../system/core/events/bus.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const STATION = "02:00:00:00:0a:01";
const SPELLINGS = ["02:00:00:00:0A:01", "02-00-00-00-0a-01", " 02:00:00:00:0a:01 "];
const NODE = "192.168.2.6";

/** What is published while reports come in, by topic. */
function published(router: TestRouter): readonly BusEvent[] {
  const events: BusEvent[] = [];
  router.bus.subscribe((event) => events.push(event));
  return events;
}

async function report(router: TestRouter, path: string, body: unknown) {
  return await router.json<Record<string, string>>("PUT", path, { body });
}

Deno.test("a failure is reported with any reason, and its MAC address in one spelling", async () => {
  await using router = await testRouter();
  const events = published(router);
  const reports: readonly (readonly [Type: string, Reason: string, Status: string])[] = [
    ["sae", "noentry", ""],
    ["wpa", "mismatch", "Okay"],
    ["connection_failure", "mismatch", "failed"],
    ["connection_failure", "The 4-way handshake timed out; 2 of 4 messages came", ""],
    ["sae", "Authentifizierung fehlgeschlagen — falsches Passwort <b>", ""],
    ["wpa3", "", ""],
  ];
  for (const [at, [Type, Reason, Status]] of reports.entries()) {
    const mac = SPELLINGS[at % SPELLINGS.length];
    // The spelling of the field is that of a mesh event in one report and of the others in the next.
    const named = at % 2 === 0 ? { MAC: mac } : { Mac: mac };
    const body = { ...named, Type, Reason, Status, Router: NODE };
    const expected = { Iface: "", Type, MAC: STATION, Reason, Status, Router: NODE };
    assert.deepEqual(await report(router, "/reportPSKAuthFailure", body), expected);
    const event = events.findLast(({ topic }) => topic === "wifi:auth:fail");
    assert.deepEqual(event?.data, expected);
  }
  const bare = await report(router, "/reportPSKAuthFailure", { Type: "sae", MAC: STATION });
  assert.equal(bare["Reason"], "");
  assert.deepEqual(router.engine.config.devices, {});
});

Deno.test("a station comes and goes in either words, under one spelling of its MAC address", async () => {
  await using router = await testRouter();
  await router.json("PUT", `/device?identity=${STATION}`, {
    body: { Name: "tablet", PSKEntry: { Type: "sae", Psk: "password1234" } },
  });
  const events = published(router);
  const text = [["AP-STA-CONNECTED", "AP-STA-DISCONNECTED"], ["connect", "disconnect"]] as const;
  for (const [came, went] of text) {
    for (const spelling of SPELLINGS) {
      const about = { Iface: "wlan0.7", Mac: spelling };
      const expected = { Iface: "wlan0.7", MAC: STATION, Status: "Okay", Router: "" };
      const success = await report(router, "/reportPSKAuthSuccess", { ...about, Event: came });
      assert.deepEqual(success, { ...expected, Event: came });
      assert.deepEqual(
        events.findLast(({ topic }) => topic === "wifi:auth:success")?.data,
        success,
      );
      assert.equal(router.engine.observed.devices[STATION]?.online, true);
      const gone = await report(router, "/reportDisconnect", { ...about, Event: went });
      assert.deepEqual(gone, { ...expected, Event: went });
      assert.deepEqual(
        events.findLast(({ topic }) => topic === "wifi:station:disconnect")?.data,
        gone,
      );
      assert.equal(router.engine.observed.devices[STATION]?.online, false);
    }
  }
  assert.deepEqual(Object.keys(router.engine.config.devices), [STATION]);
});

Deno.test("a report without its station or about another event is refused", async () => {
  await using router = await testRouter();
  const events = published(router);
  const about = { Iface: "wlan0.7", MAC: STATION };
  const refused: readonly (readonly [path: string, body: unknown])[] = [
    ["/reportPSKAuthSuccess", { ...about, Event: "AP-STA-DISCONNECTED" }],
    ["/reportPSKAuthSuccess", { ...about, Event: "disconnect" }],
    ["/reportPSKAuthSuccess", about],
    ["/reportPSKAuthSuccess", { Event: "connect", MAC: STATION }],
    ["/reportDisconnect", { ...about, Event: "connect" }],
    ["/reportDisconnect", { ...about, MAC: "02:00:00:00:0a", Event: "disconnect" }],
    ["/reportPSKAuthFailure", { Type: "sae", MAC: "", Reason: "mismatch" }],
    ["/reportPSKAuthFailure", { Type: "sae", MAC: "ff:ff:ff:ff:ff:ff", Reason: "mismatch" }],
    ["/reportPSKAuthFailure", { MAC: STATION, Reason: "mismatch" }],
  ];
  for (const [path, body] of refused) {
    const answer = await router.ask("PUT", path, { body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    await answer.body?.cancel();
  }
  assert.deepEqual(events.filter(({ topic }) => topic.startsWith("wifi:")), []);
});
