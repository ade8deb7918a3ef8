import assert from "node:assert/strict";
import fc from "fast-check";
import { parseDevices } from "../../../../system/wifi/iw/devices.ts";
import { parseRadios } from "../../../../system/wifi/iw/radios.ts";
import { parseRegulatory } from "../../../../system/wifi/iw/regulatory.ts";
import { scanProblem } from "../../../../system/host/tools/iw.ts";
import { parseScan } from "../../../../system/wifi/iw/scan.ts";
import {
  IwDevices,
  IwNeighbour,
  IwRadio,
  IwRegulatory,
} from "../../../../system/wifi/iw/schema.ts";

/** What `iw` 5.19 printed on simulated radios. */
function output(name: string): string {
  return Deno.readTextFileSync(new URL(`output/${name}.txt`, import.meta.url));
}

Deno.test("iw dev: interfaces by radio, extra interfaces of stations among them", () => {
  const devices = parseDevices(output("dev"));
  IwDevices.parse(devices);
  assert.deepEqual(Object.keys(devices).sort(), ["phy0", "phy1"]);
  assert.deepEqual(Object.keys(devices.phy0!).sort(), ["wlan0", "wlan0.4096"]);
  const { ssid, type, channel, multicast_txq } = devices.phy0!.wlan0!;
  assert.equal(ssid, String.raw`lab\xf0\x9f\x98\x80net`);
  assert.equal(type, "AP");
  assert.match(channel!, /^6 \(2437 MHz\)/);
  assert.equal(multicast_txq, undefined);
});

Deno.test("iw dev: the queue of multicast frames is read as numbers", () => {
  const text = [
    "phy#0",
    "\tInterface wlan0",
    "\t\tifindex 3",
    "\t\tmulticast TXQ:",
    "\t\t\tqsz-byt\tqsz-pkt\tflows\tdrops\tmarks\toverlmt\thashcol\ttx-bytes\ttx-packets",
    "\t\t\t0\t1\t2\t3\t4\t5\t6\t700\t\t8",
  ].join("\n");
  assert.deepEqual(parseDevices(text).phy0!.wlan0!.multicast_txq, {
    qsz_byt: 0,
    qsz_pkt: 1,
    flows: 2,
    drops: 3,
    marks: 4,
    overlmt: 5,
    hashcol: 6,
    tx_bytes: 700,
    tx_packets: 8,
  });
});

Deno.test("iw reg get: only the domain of all radios", () => {
  const domain = parseRegulatory(`${output("reg")}\nphy#0\ncountry DE: DFS-ETSI\n`);
  IwRegulatory.parse(domain);
  assert.equal(domain!.country, "US");
  assert.equal(domain!.dfs, "DFS-FCC");
  assert.deepEqual(domain!.bands.find(({ start }) => start === 5250), {
    start: 5250,
    end: 5350,
    max_bandwidth: 80,
    max_antenna_gain: null,
    max_eirp: 24,
    flags: ["DFS", "AUTO-BW"],
  });
  assert.equal(parseRegulatory("global\ncountry 00: DFS-UNSET\n")!.dfs, null);
  assert.equal(parseRegulatory(""), null);
});

Deno.test("iw list: lists, numbers and bands", () => {
  const [radio, ...others] = parseRadios(output("list"));
  assert.deepEqual(others, []);
  IwRadio.parse(radio);
  assert.equal(radio!.wiphy, "phy1");
  assert.equal(radio!.max_scan_ssids, 4);
  assert.ok(radio!.supported_ciphers.includes("GCMP-128 (00-0f-ac:8)"));
  assert.ok(radio!.supported_interface_modes.includes("AP/VLAN"));
  assert.equal(radio!.valid_interface_combinations.length, 1);
  assert.match(radio!.valid_interface_combinations[0]!, /^#\{ IBSS \} <= 1, .* total <= 2050/);
  const bands = Object.fromEntries(radio!.bands.map((band) => [band.band, band]));
  assert.deepEqual(Object.keys(bands), ["Band 1", "Band 2", "Band 4"]);
  const word = (band: string, list: string) => (bands[band]![list] as string[])[0];
  assert.equal(word("Band 1", "capabilities"), "0x107e");
  assert.equal(word("Band 2", "vht_capabilities"), "0x038004fa");
  assert.equal(word("Band 4", "he_phy_capabilities"), "0x1cbfce0000000000000000");
  assert.equal(bands["Band 2"]!.frequencies[0], "5180 MHz [36] (23.0 dBm)");
});

Deno.test("iw scan: the fields that the API has, and further ones of a network", () => {
  const found = parseScan(output("scan"));
  for (const one of found) IwNeighbour.parse(one);
  assert.equal(found.length, 2);
  const [first] = found;
  assert.equal(first!.bssid, "02:00:00:00:00:00");
  assert.equal(first!.interface, "wlan2");
  assert.equal(first!.freq, 2412);
  assert.equal(first!.signal_dbm, -20);
  assert.equal(first!.ssid, String.raw`lab\xf0\x9f\x98\x80net`);
  assert.equal(first!.authentication_suites, "PSK PSK/SHA-256 SAE");
  assert.equal(first!.primary_channel, 1);
  assert.equal(first!.beacon_interval_tus, 100);
  assert.equal(first!.last_seen_ms, 21684);
  assert.equal(first!.tsf_usec, 1795928799579491);
});

Deno.test("iw scan: hidden, open and hostile networks are text and numbers", () => {
  const bss = (...lines: string[]) => ["BSS 02:00:00:00:00:09(on wlan1)", ...lines].join("\n\t");
  const [one] = parseScan(bss(String.raw`SSID: \x00\x00`, "freq: 5180"));
  assert.equal(one!.ssid, "");
  assert.equal(one!.authentication_suites, "");
  const [two] = parseScan(
    bss("freq: 2412", "SSID: <script>", "__proto__: x", "constructor: y", "freq: 9999"),
  );
  assert.equal(two!.ssid, "<script>");
  assert.equal(two!.freq, 2412);
  assert.equal(Object.getPrototypeOf(two), Object.prototype);
  assert.equal(Object.hasOwn(two!, "__proto__"), false);
  assert.deepEqual(parseScan("BSS zz:00:00:00:00:09(on wlan1)\n\tSSID: x"), []);
  assert.deepEqual(parseScan("BSS 02:00:00:00:00:09(on $(reboot))\n\tSSID: x"), []);
});

Deno.test("iw scan: an interface that cannot scan is distinguished from one that just scans", () => {
  const of = (text: string): readonly [number, string] => {
    const { status, message } = scanProblem("wlan0", `command failed: ${text}`);
    return [status, message];
  };
  assert.deepEqual(of("Operation not supported (-95)")[0], 400);
  assert.match(of("Operation not supported (-95)")[1], /^wlan0 cannot scan .* access point/);
  assert.equal(scanProblem("wlan0", "not supported (-95)", true).status, 502);
  assert.deepEqual(of("Device or resource busy (-16)")[0], 502);
  assert.match(of("Device or resource busy (-16)")[1], /try again/);
  assert.deepEqual(of("No such device (-19)"), [502, "iw: command failed: No such device (-19)"]);
});

Deno.test("iw: any text is read, and what comes of it fits the shapes", () => {
  const line = fc.constantFrom(
    ...["BSS 02:00:00:00:00:01(on wlan0)", "\tSSID: a", "\tsignal: -99.00 dBm", "\tfreq: 1"],
    ...["phy#0", "\tInterface wlan0", "\t\tssid x", "Wiphy phy0", "\tBand 1:", "\t\tFrequencies:"],
    ...["\t\t\t* 2412 MHz [1]", "   more", "country US: DFS-FCC", "\t(1 - 2 @ 3), (N/A, 1), (N/A)"],
  );
  const text = fc.array(fc.oneof(line, fc.string({ unit: "binary" })), { maxLength: 40 })
    .map((lines) => lines.join("\n"));
  fc.assert(fc.property(text, (any) => {
    IwDevices.parse(parseDevices(any));
    IwRegulatory.nullable().parse(parseRegulatory(any));
    for (const radio of parseRadios(any)) IwRadio.parse(radio);
    for (const one of parseScan(any)) IwNeighbour.parse(one);
  }));
});
