import assert from "node:assert/strict";
import fc from "fast-check";
import { join } from "../../../ui/pages/changes/history.ts";
import { culprits, inFacet, matches, parseFilter } from "../../../ui/pages/devices/filter.ts";
import { configLines, systemLines } from "../../../ui/parts/preview/diff_lines.ts";
import {
  accessRows,
  connectionCount,
  serviceText,
  withAdded,
} from "../../../ui/parts/preview/access_changes.ts";
import { age, countdown, dayName, parseWhen } from "../../../ui/text/time.ts";
import { closedFor, flipSentence, policyChips, QUARANTINE } from "../../../ui/text/policies.ts";
import { isPendingApproval, stateOf } from "../../../ui/text/format.ts";
import { sampleHome, sampleId, uiDevice } from "../../kit/builders/ui_samples.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const home = sampleHome(NOW);
const entries = Object.entries(home);
const names = (list: readonly (readonly [string, { Name: string }])[]) =>
  list.map(([, device]) => device.Name);
const found = (text: string) =>
  names(entries.filter(([identity, device]) => matches(identity, device, parseFilter(text))));

Deno.test("a filter matches all of its words", () => {
  assert.deepEqual(found("tablet"), ["Kids’ tablet", "Old tablet"]);
  assert.deepEqual(found("TABLET kids’"), ["Kids’ tablet"]);
  assert.deepEqual(found("192.168.2.42"), ["Game console"]);
  assert.deepEqual(found("").length, entries.length);
});

Deno.test("a filter understands group, policy, link and states", () => {
  assert.deepEqual(found("group:kids online"), ["Kids’ tablet", "Ida’s phone", "Game console"]);
  assert.deepEqual(found("group:kids blocked"), ["Old tablet"]);
  assert.deepEqual(found("policy:lan"), ["Mira’s laptop", "Home server"]);
  assert.deepEqual(found("policy:quarantine"), ["Robot mower"]);
  assert.deepEqual(found('interface:lan3 "ESP-8C4F21"'), ["ESP-8C4F21"]);
  assert.deepEqual(found("pending"), ["ESP-8C4F21"]);
  assert.deepEqual(found("tag:school"), ["Kids’ tablet"]);
});

Deno.test("a quoted value of a filter may hold blanks", () => {
  const [term] = parseFilter('group:"living room"');
  assert.equal(term?.key, "group");
  assert.equal(term?.value, "living room");
});

Deno.test("a filter never throws and an unfinished term filters nothing", () => {
  assert.deepEqual(parseFilter("group:"), []);
  fc.assert(fc.property(fc.string(), (text) => {
    for (const term of parseFilter(text)) assert.notEqual(term.value, "");
  }));
});

Deno.test("a filter that finds nothing names the part to drop", () => {
  const terms = parseFilter("tablet group:cameras");
  assert.deepEqual(culprits(terms, entries).map((term) => term.text), ["tablet", "group:cameras"]);
  const [only] = culprits(parseFilter("tablet nonsense"), entries);
  assert.equal(only?.text, "nonsense");
});

Deno.test("a device that joined by itself is pending until it has access", () => {
  assert.equal(isPendingApproval(uiDevice({ Policies: ["noapi"] })), true);
  assert.equal(isPendingApproval(uiDevice({ Policies: ["noapi"], Groups: ["kids"] })), false);
  assert.equal(stateOf(uiDevice({ Policies: ["noapi"], DeviceDisabled: true })), "blocked");
  assert.equal(stateOf(uiDevice({ Policies: ["wan"], Online: true })), "online");
});

Deno.test("chips show only the most important state", () => {
  const texts = (Policies: string[], DeviceDisabled = false) =>
    policyChips(uiDevice({ Policies, DeviceDisabled })).map((chip) => chip.text);
  assert.deepEqual(texts(["wan", "dns"], true), ["Blocked"]);
  assert.deepEqual(texts([]), ["Pending"]);
  assert.deepEqual(
    texts(["wan", "dns", "noapi"]),
    ["Internet"],
    "what is usual goes without saying",
  );
  assert.deepEqual(texts(["wan", "dns"]), ["Internet", "Admin"]);
  assert.deepEqual(texts(["wan", "noapi"]), ["Internet", "No DNS"]);
  assert.deepEqual(texts(["dns", "quarantine", "noapi"]), ["Quarantine", "DNS"]);
  assert.deepEqual(texts(["dns", "dns:family", "noapi"]), ["Family DNS"]);
});

Deno.test("a device is closed by the group that withholds for the longest what it has", () => {
  const device = uiDevice({ Policies: ["wan", "dns"], Groups: ["lan", "kids", "late", "open"] });
  const group = (Name: string, Policies: ("wan" | "lan" | "noapi")[], ClosedUntil?: number) => ({
    Name,
    Policies,
    ...(ClosedUntil === undefined ? {} : { ClosedUntil }),
  });
  const lan = group("lan", ["lan"], 900);
  const kids = { ...group("kids", ["wan"], 300), Title: "Kids" };
  assert.equal(closedFor(device, []), null);
  assert.equal(closedFor(device, [lan, group("open", ["wan"])]), null);
  assert.deepEqual(closedFor(device, [lan, kids]), { group: "Kids", until: 300 });
  assert.deepEqual(
    closedFor(device, [lan, group("late", ["wan"], 500), kids, group("others", ["wan"], 800)]),
    { group: "late", until: 500 },
  );
});

Deno.test("a policy change is a sentence about what the device can do", () => {
  assert.match(flipSentence(QUARANTINE, true), /reaches this router's DNS and nothing else/);
});

Deno.test("times are read as RFC 3339 and as Go writes them", () => {
  assert.equal(parseWhen("2026-03-01T12:00:00Z"), NOW);
  assert.equal(parseWhen("2026-03-01 13:00:00.5 +0100 CET m=+12.25"), NOW + 500);
  assert.equal(parseWhen("2026-03-01 12:00:00.123456789 +0000 UTC"), NOW + 123);
  for (const text of ["", "never", "0001-01-01 00:00:00 +0000 UTC"]) {
    assert.equal(parseWhen(text), null);
  }
});

Deno.test("ages have one unit, durations the two largest", () => {
  assert.equal(age(NOW - 59_000, NOW), "now");
  assert.equal(age(NOW - 6 * 60_000, NOW), "6 min");
  assert.equal(age(NOW - 9 * 3_600_000, NOW), "9 h");
  assert.equal(age(NOW - 5 * 86_400_000, NOW), "5 d");
  assert.equal(age(NOW + 5000, NOW), "now");
  assert.equal(countdown(72), "1 min 12 s");
  assert.equal(countdown(8.2), "9 s");
  assert.equal(countdown(-3), "0 s");
  assert.equal(dayName(NOW, NOW), "Today");
  assert.equal(dayName(NOW - 86_400_000, NOW), "Yesterday");
});

Deno.test("both directions of a pair are one row of the preview", () => {
  const [a, b] = [sampleId(1), sampleId(3)];
  const flips = [
    { from: a, to: b, traffic: "all", reason: "both are in kids" },
    { from: b, to: a, traffic: "all", reason: "both are in kids" },
  ];
  assert.deepEqual(accessRows(flips, home), [{
    who: "Kids’ tablet with Game console",
    traffic: "everything, both directions",
    reason: "both are in kids",
  }]);
});

Deno.test("the preview names a device that the change adds", () => {
  const added = { ...home[sampleId(1)]!, Name: "New phone" };
  const known = withAdded(home, [{ document: "devices", path: ["KEY="], after: added }]);
  const flip = { from: "KEY=", to: "internet", traffic: "all", reason: "policy wan" };
  assert.deepEqual(accessRows([flip], known).map(({ who }) => who), ["New phone to Internet"]);
  const renamed = { document: "devices", path: [sampleId(1), "Name"], before: "a", after: "b" };
  assert.equal(withAdded(home, [renamed]), home);
});

Deno.test("many rows of the preview collapse, and their number is shown", () => {
  const flips = Array.from({ length: 12 }, (_, n) => ({
    from: sampleId(1),
    to: sampleId(n + 2),
    traffic: "all",
    reason: "policy",
  }));
  const rows = accessRows(flips, home);
  assert.deepEqual(rows.map((row) => row.who), [
    "Kids’ tablet to Ida’s phone, Game console and 10 more",
  ]);
  assert.equal(connectionCount(flips), "12 connections");
  assert.equal(connectionCount([]), "none");
});

Deno.test("a changed value is listed under the name of its object", () => {
  const lines = configLines([{
    document: "devices",
    path: [sampleId(1), "Groups"],
    before: [],
    after: ["kids"],
  }], home);
  assert.deepEqual(lines, [
    { sign: "at", text: "devices, Kids’ tablet" },
    { sign: "remove", text: '"Groups": []' },
    { sign: "add", text: '"Groups": ["kids"]' },
  ]);
});

Deno.test("a changed list element is listed under its list", () => {
  const path = [sampleId(1), "Policies", "lan"];
  assert.deepEqual(configLines([{ document: "devices", path, after: "lan" }], home)[1], {
    sign: "add",
    text: '"Policies": "lan"',
  });
});

Deno.test("a kernel line is marked as added or removed", () => {
  const signs = (text: string) => systemLines([text]).at(-1)?.sign;
  assert.equal(signs("add element inet filter internet_access { 192.168.2.26 }"), "add");
  assert.equal(signs("delete element inet filter internet_access { 192.168.2.26 }"), "remove");
  assert.equal(signs("ip addr del 192.168.2.1/30 dev lan1"), "remove");
  assert.equal(signs("add element inet filter m { 10.0.0.1 : delete }"), "add");
});

Deno.test("kernel elements are listed under their table, in nft syntax", () => {
  const lines = systemLines([
    'nft delete element inet filter internet_access { 192.168.2.70 . "lan1" : accept }',
    "nft add element inet filter api_block { 192.168.2.70 }",
    "ip addr add 192.168.2.69/30 dev lan1",
  ]);
  assert.deepEqual(lines, [
    { sign: "at", text: "inet filter" },
    { sign: "remove", text: 'internet_access  192.168.2.70 . "lan1" : accept' },
    { sign: "add", text: "api_block  192.168.2.70" },
    { sign: "at", text: "kernel" },
    { sign: "add", text: "ip addr add 192.168.2.69/30 dev lan1" },
  ]);
});

Deno.test("ports of one protocol are one list", () => {
  assert.equal(serviceText(["tcp 22", "tcp 80", "udp 53"]), "TCP 22, 80, UDP 53");
  assert.equal(serviceText(["icmp"]), "ICMP");
  assert.equal(serviceText(["all"]), "everything");
});

Deno.test("a newer page of the history replaces what was known of a change", () => {
  const change = (id: string, undoneBy: string | null) => ({
    id,
    at: 0,
    by: "admin",
    from: null,
    kind: "",
    summary: "",
    state: "committed" as const,
    undoes: null,
    undoneBy,
  });
  const joined = join([change("2", null), change("1", "2")], [
    change("1", null),
    change("0", null),
  ]);
  assert.deepEqual(joined.map(({ id, undoneBy }) => [id, undoneBy]), [
    ["2", null],
    ["1", "2"],
    ["0", null],
  ]);
});

Deno.test("a blocked device is not among those with LAN access", () => {
  const device = uiDevice({ Policies: ["lan", "disabled"], DeviceDisabled: true });
  assert.equal(inFacet(device, "lan"), false);
  assert.equal(inFacet(device, "blocked"), true);
});
