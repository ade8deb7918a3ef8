import assert from "node:assert/strict";
import fc from "fast-check";
import { wifiClient } from "../../../system/wifi/client_rules.ts";
import { parseStations } from "../../../system/wifi/iw/stations.ts";
import { stationsOnAir } from "../../../system/wifi/stations_on_air.ts";

const A = "02:00:00:00:0a:01", B = "02:00:00:00:0b:01", C = "02:00:00:00:0c:01";
const JOINED = { flags: "[AUTH][ASSOC][AUTHORIZED]" };

/** As iw 5.19 prints it. */
const DUMP = `Station ${A} (on wlan0.4096)
\tinactive time:\t12 ms
\trx bytes:\t51234
\trx packets:\t310
\ttx bytes:\t91234
\ttx packets:\t220
\ttx retries:\t17
\ttx failed:\t2
\trx drop misc:\t0
\tsignal:  \t-52 [-54, -58] dBm
\tauthorized:\tyes
Station ${B.toUpperCase()} (on wlan0.4096)
\ttx packets:\t5
`;

Deno.test("retries and failures are read of each station that iw prints", () => {
  assert.deepEqual([...parseStations(DUMP)], [
    [A, { sent: 220, retries: 17, failed: 2 }],
    [B, { sent: 5, retries: 0, failed: 0 }],
  ]);
  assert.deepEqual([...parseStations("")], []);
});

Deno.test("whatever iw prints of stations is read without an error", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    parseStations(`Station ${A} (on wlan0)\n\t${text}`);
    parseStations(text);
  }));
});

Deno.test("stations that have joined are requested once for each interface", async () => {
  const requested: string[] = [];
  const items = await stationsOnAir({
    networks: ["wlan0", "wlan0.ap0"],
    stations: (network) =>
      Promise.resolve<Record<string, Record<string, string>>>(
        network === "wlan0"
          ? { [A]: { ...JOINED, vlan_id: "4096" }, [C]: { flags: "[AUTH]" } }
          // Stations of it are not isolated.
          : { [B]: { ...JOINED, vlan_id: "0" }, [C]: JOINED },
      ),
    iwStations: (link) => {
      requested.push(link);
      return Promise.resolve(link === "wlan0.4096" ? DUMP : "");
    },
  }, "");
  assert.deepEqual(requested.sort(), ["wlan0.4096", "wlan0.ap0"]);
  assert.deepEqual(items.map(({ mac, link, counters }) => [mac, link, counters?.retries]), [
    [A, "wlan0.4096", 17],
    [B, "wlan0.ap0", undefined],
    [C, "wlan0.ap0", undefined],
  ]);
});

Deno.test("a client has its signal, its rates and its band in the units of people", () => {
  const lines = {
    ...JOINED,
    signal: "-52",
    tx_rate_info: "8667 vhtmcs 9 vhtnss 2",
    rx_rate_info: "60",
    connected_time: "75",
    AKMSuiteSelector: "00-0f-ac-8",
  };
  const of = (frequency: number, more = {}) =>
    wifiClient({
      ...{ network: "wlan0.ap0", mac: A, link: "wlan0.ap0.4096", counters: null },
      lines: { ...lines, ...more },
    }, { ssid: "guests", frequency });
  assert.deepEqual(of(5180), {
    ...{ mac: A, network: "wlan0.ap0", radio: "wlan0", ssid: "guests", band: "5" },
    ...{ signal: -52, down: 867, up: 6, security: "WPA3", seconds: 75 },
    ...{ sent: null, retries: null, failed: null },
  });
  assert.equal(of(2412).band, "2.4");
  assert.equal(of(0).band, "");
  assert.equal(of(0, { AKMSuiteSelector: "00-0f-ac-2" }).security, "WPA2");
  assert.equal(of(0, { AKMSuiteSelector: undefined }).security, "open");
  assert.deepEqual(of(0, { signal: "loud", connected_time: "" }).signal, 0);
});
