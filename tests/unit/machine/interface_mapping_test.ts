import assert from "node:assert/strict";
import fc from "fast-check";
import * as z from "zod";
import { missingInterfaces } from "../../../system/backup/missing_interfaces.ts";
import { adaptersOf, movedAdapters } from "../../../system/network/interfaces/adapters.ts";
import {
  interfacesNamed,
  mapInterfaces,
} from "../../../system/network/interfaces/interface_mapping.ts";
import { interfaceNamesIn } from "../../../system/network/interfaces/interface_names.ts";
import {
  inventoryOf,
  machineInterfaces,
  readInventory,
} from "../../../system/backup/machine_interfaces.ts";
import type { Config } from "../../../system/config.ts";
import type { Documents } from "../../../system/core/config/document.ts";
import { InterfaceName } from "../../../system/core/net/grammar.ts";
import { documents } from "../../../system/documents.ts";
import { Interface } from "../../../system/network/interfaces/schema.ts";
import { DEFAULT_ROAMING } from "../../../system/wifi/roaming/schema.ts";
import { RadioSettings } from "../../../system/wifi/radio/settings_schema.ts";
import { DEFAULT_UPLINK_SETTINGS, PppEntry } from "../../../system/uplink/schema.ts";
import { CustomInterfaceRule } from "../../../system/firewall/rule_schema.ts";
import { configWith } from "../../kit/builders/device_config.ts";

const link = (Name: string, more: Partial<z.input<typeof Interface>> = {}) =>
  Interface.parse({ Name, Type: "Downlink", Enabled: true, ...more });
const mac = (last: number) => `02:00:00:00:0a:${last.toString(16).padStart(2, "0")}`;
const RADIO = RadioSettings.parse({ ssid: "Home" });

/** A configuration that names an interface in every document that can. */
function everywhere(wan: string, lan: string, radio: string): Config {
  const plain = configWith();
  return {
    ...plain,
    admissions: { Open: [{ Interface: lan, Until: 1_800_000_000 }] },
    interfaces: [
      link(wan, { Type: "Uplink", Subtype: "pppup" }),
      link(lan, { Subtype: "VLAN-Trunk" }),
      link(radio, { Type: "AP", ExtraBSS: [{ Ssid: "Guests" }] }),
    ],
    radios: { [radio]: RADIO },
    guests: { Radios: [radio], Until: 0 },
    roaming: { ...DEFAULT_ROAMING, AllowedInterfaces: [radio] },
    ppp: [PppEntry.parse({ Iface: wan, PPPIface: "ppp0", Username: "user" })],
    wpa: [{
      ...{ Iface: radio, Enabled: false, Networks: [] },
      ...{ ScanIface: `${radio}.scan`, MonitorIface: `${radio}.mon` },
    }],
    wan: { ...DEFAULT_UPLINK_SETTINGS, Uplinks: [{ Iface: wan, Weight: 1 }] },
    firewall: {
      ...plain.firewall,
      CustomInterfaceRules: [`${lan}.30`, `${radio}.ap0`].map((Interface) =>
        CustomInterfaceRule.parse({ Interface, SrcIP: "10.0.0.2", Policies: ["wan"] })
      ),
    },
  };
}

/** Where the schemas of documents take an interface name. */
function pathsOf(schema: z.core.$ZodType, path: string): readonly string[] {
  if (schema === InterfaceName) return [path];
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  switch (def.type) {
    case "object":
      return Object.entries(def.shape).flatMap(([key, field]) => pathsOf(field, `${path}/${key}`));
    case "record":
      return [...pathsOf(def.keyType, `${path}/{}`), ...pathsOf(def.valueType, `${path}/*`)];
    case "array":
      return pathsOf(def.element, `${path}[]`);
    case "union":
      return def.options.flatMap((option) => pathsOf(option, path));
    case "pipe":
      return [...pathsOf(def.in, path), ...pathsOf(def.out, path)];
    default:
      return "innerType" in def ? pathsOf(def.innerType as z.core.$ZodType, path) : [];
  }
}

Deno.test("a mapping reaches every place where a document names an interface", () => {
  const before = everywhere("eth0", "eth1", "wlan0");
  const mapping = { eth0: "enp3s0", eth1: "enp4s0", wlan0: "wlp5s0" };
  assert.deepEqual(
    mapInterfaces(before, documents, mapping),
    everywhere("enp3s0", "enp4s0", "wlp5s0"),
  );
  // The configuration above has each of these places; one that a schema adds belongs there, too.
  const paths = Object.entries(documents).flatMap(([name, { schema }]) => pathsOf(schema, name));
  assert.deepEqual(paths, [
    "admissions/Open[]/Interface",
    "interfaces[]/Name",
    "radios/{}",
    "roaming/AllowedInterfaces[]",
    "guests/Radios[]",
    "ppp[]/Iface",
    "ppp[]/PPPIface",
    "wpa[]/Iface",
    "wpa[]/ScanIface",
    "wpa[]/MonitorIface",
    "wan/Uplinks[]/Iface",
    "firewall/CustomInterfaceRules[]/Interface",
  ]);
  for (const [name, { schema }] of Object.entries(documents)) {
    const has = interfaceNamesIn(schema as z.ZodType, before[name as keyof Config]).length > 0;
    assert.equal(has, paths.some((path) => path.startsWith(name)), name);
  }
});

Deno.test("a mapping and its reverse give the configuration back, and a mapped one is still valid", () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/).filter((text) =>
    InterfaceName.safeParse(text).success && !/^(ppp\d*|wg0|lo)$/.test(text)
  );
  const names = fc.uniqueArray(name, { minLength: 3, maxLength: 3 });
  fc.assert(fc.property(names, names, (from, to) => {
    const before = everywhere(...from as [string, string, string]);
    const mapping = Object.fromEntries(from.map((one, at) => [one, to[at]!]));
    const back = Object.fromEntries(from.map((one, at) => [to[at]!, one]));
    const there = mapInterfaces(before, documents, mapping);
    for (const [key, document] of Object.entries(documents as Documents<Record<string, unknown>>)) {
      const value = there[key as keyof Config];
      const written = JSON.stringify(document.write?.(value) ?? value);
      assert.deepEqual(document.read(JSON.parse(written)).rejected, [], key);
    }
    assert.deepEqual(mapInterfaces(there, documents, back), before);
  }));
});

Deno.test("values without a mapped interface keep their identity", () => {
  const before = everywhere("eth0", "eth1", "wlan0");
  const after = mapInterfaces(before, documents, { eth0: "enp3s0" });
  assert.equal(after.radios, before.radios);
  assert.equal(after.devices, before.devices);
  assert.equal(after.firewall, before.firewall);
  assert.equal(after.interfaces?.[1], before.interfaces[1]);
  assert.notEqual(after.wan, before.wan);
});

Deno.test("a mapping that would make one interface of two, or of none, is refused", () => {
  const before = everywhere("eth0", "eth1", "wlan0");
  const refused: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ eth7: "enp3s0" }, /name no interface eth7/],
    [{ eth0: "enp3s0", eth1: "enp3s0" }, /eth0 and eth1 of the settings would both become enp3s0/],
    [{ eth0: "eth1" }, /would both become eth1/],
    [{ eth1: "averylonglink1" }, /eth1\.30 would become averylonglink1\.30/],
  ];
  for (const [mapping, message] of refused) {
    assert.throws(() => mapInterfaces(before, documents, mapping), { status: 400, message });
  }
  const swapped = mapInterfaces(before, documents, { eth0: "eth1", eth1: "eth0" });
  assert.deepEqual(swapped, everywhere("eth1", "eth0", "wlan0"));
});

Deno.test("interfaces of Sluice's own, VLANs and additional networks are left out", () => {
  const parts = everywhere("eth0", "eth1", "wlan0");
  assert.deepEqual([...interfacesNamed(parts, documents)].sort(), ["eth0", "eth1", "wlan0"]);
});

const here = (...names: readonly string[]) =>
  machineInterfaces(
    names.map((name, at) => ({
      name,
      index: at + 2,
      mac: mac(at + 1),
      up: true,
      running: true,
      kind: null,
    })),
    [],
  );

function suggestions(
  parts: Config,
  machine: ReturnType<typeof here>,
  macs: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const missing = missingInterfaces(
    { parts, documents, macs: new Map(Object.entries(macs)) },
    machine,
  );
  return Object.fromEntries(missing.map(({ name, suggestion }) => [name, suggestion]));
}

Deno.test("missing interfaces are named with what they are for, and get those of their kind in order", () => {
  const parts = everywhere("eth0", "eth1", "wlan0");
  const machine = here("wlp5s0", "enp10s0", "enp3s0", "enp4s0");
  assert.deepEqual(suggestions(parts, machine), {
    eth0: "enp3s0",
    eth1: "enp4s0",
    wlan0: "wlp5s0",
  });
  const [wan, lan, radio] = missingInterfaces({ parts, documents, macs: new Map() }, machine)
    .toSorted((a, b) => a.name < b.name ? -1 : 1);
  assert.deepEqual([wan?.role, lan?.role, radio?.role], ["uplink", "vlan-trunk", "radio"]);
  assert.deepEqual(suggestions(parts, here("eth0", "eth1", "wlan0")), {});
  assert.deepEqual(suggestions(parts, here("eth0", "enp3s0")), { eth1: "enp3s0", wlan0: "" });
});

Deno.test("an uplink that joins networks by Wi-Fi gets a radio, and no other uplink does", () => {
  const plain = everywhere("eth0", "eth1", "wlan0");
  const interfaces = plain.interfaces.map((one) =>
    one.Name === "wlan0" ? link("wlan0", { Type: "Uplink" }) : one
  );
  assert.deepEqual(suggestions({ ...plain, interfaces, radios: {} }, here("wlp5s0", "enp3s0")), {
    eth0: "enp3s0",
    eth1: "",
    wlan0: "wlp5s0",
  });
});

Deno.test("an interface is recognised by its MAC address, whatever it is called", () => {
  const parts = everywhere("eth0", "eth1", "wlan0");
  const machine = here("enp3s0", "enp4s0", "wlan0");
  assert.deepEqual(suggestions(parts, machine, { eth0: mac(2), eth1: mac(1), wlan0: mac(3) }), {
    eth0: "enp4s0",
    eth1: "enp3s0",
  });
  // Names that were swapped, as happens at a boot.
  assert.deepEqual(
    suggestions(parts, here("eth1", "eth0", "wlan0"), { eth0: mac(1), eth1: mac(2) }),
    {
      eth0: "eth1",
      eth1: "eth0",
    },
  );
  // The adapter of eth0 is eth1 here; that of eth1 is gone.
  assert.deepEqual(suggestions(parts, here("enp9s0", "eth1", "wlan0"), { eth0: mac(2) }), {
    eth0: "eth1",
    eth1: "enp9s0",
  });
});

Deno.test("suggestions can always be applied", () => {
  const pool = ["eth0", "eth1", "eth2", "wlan0", "wlan1", "enp3s0", "wlp5s0"];
  const machine = fc.shuffledSubarray(pool).map((names) => here(...names));
  const three = fc.shuffledSubarray(pool, { minLength: 3, maxLength: 3 });
  const macs = fc.dictionary(fc.constantFrom(...pool), fc.integer({ min: 1, max: 7 }).map(mac));
  fc.assert(fc.property(three, machine, macs, ([wan, lan, radio], links, known) => {
    const parts = everywhere(wan!, lan!, radio!);
    const mapping = Object.fromEntries(
      Object.entries(suggestions(parts, links, known)).filter(([, path]) => path !== ""),
    );
    const paths = Object.values(mapping);
    assert.equal(new Set(paths).size, paths.length);
    const stays = [wan!, lan!, radio!].filter((name) => !Object.hasOwn(mapping, name));
    // One that stays although its name is another's here is the only thing left to decide.
    if (stays.some((name) => paths.includes(name))) return;
    const after = mapInterfaces(parts, documents, mapping);
    assert.equal(interfacesNamed(after, documents).length, 3);
  }));
});

Deno.test("the adapters of a machine are recognised by their hardware addresses", () => {
  const links = [
    { name: "lo", index: 1, mac: null, up: true, running: true, kind: null },
    {
      name: "eth0",
      index: 2,
      mac: mac(9),
      permanentMac: mac(1),
      up: true,
      running: true,
      kind: null,
    },
    { name: "docker0", index: 3, mac: mac(2), up: true, running: true, kind: "bridge" },
    { name: "wg0", index: 4, mac: null, up: true, running: true, kind: "wireguard" },
    { name: "wlan0.ap0", index: 5, mac: mac(4), up: true, running: true, kind: null },
  ];
  assert.deepEqual(
    machineInterfaces(links, []).map(({ name, mac, hardware }) => [name, mac, hardware]),
    [
      ["eth0", mac(1), true],
      ["docker0", mac(2), false],
    ],
  );
  const known = readInventory(JSON.stringify(inventoryOf(links)));
  assert.equal(known.get("eth0"), mac(1));
  assert.equal(known.has("docker0"), false);
  for (const broken of [undefined, "{", "[]", '[{"Name":"../x","MAC":"x"}]', "7"]) {
    assert.equal(readInventory(broken).size, 0);
  }
});

Deno.test("adapters that changed names are followed where every interface keeps one of its own", () => {
  const known = new Map([["wlan0", mac(1)], ["wlan1", mac(2)], ["eth0", mac(3)]]);
  const moved = (configured: readonly string[], present: Readonly<Record<string, string>>) =>
    movedAdapters(configured, { known, present: new Map(Object.entries(present)) });
  assert.deepEqual(
    moved(["wlan0", "wlan1", "eth0"], { wlan0: mac(2), wlan1: mac(1), eth0: mac(3) }),
    { moves: { wlan0: "wlan1", wlan1: "wlan0" }, canFollow: true },
  );
  assert.deepEqual(moved(["wlan0"], { wlan1: mac(1) }), {
    moves: { wlan0: "wlan1" },
    canFollow: true,
  });
  // The adapter of wlan0 is gone, and wlan1 took its name.
  assert.deepEqual(moved(["wlan0", "wlan1"], { wlan0: mac(2) }), {
    moves: { wlan1: "wlan0" },
    canFollow: false,
  });
  // Another adapter under the name, as after a repair.
  assert.deepEqual(moved(["wlan0", "eth0"], { wlan0: mac(9), eth0: mac(3) }), {
    moves: {},
    canFollow: true,
  });
});

Deno.test("adapters that share a MAC address are not recognised by it", () => {
  const link = (name: string, index: number, mac: string) => ({
    name,
    index,
    mac,
    up: true,
    running: true,
    kind: null,
  });
  assert.deepEqual(
    [...adaptersOf([link("eth0", 2, mac(1)), link("eth1", 3, mac(1)), link("eth2", 4, mac(2))])],
    [["eth2", mac(2)]],
  );
});

Deno.test("names are found in a schema that holds itself, behind one that holds none", () => {
  const Place = z.object({
    Title: z.string(),
    get Parts() {
      return z.array(z.object({ Of: Place.optional(), Interface: InterfaceName.optional() }));
    },
  });
  const value: z.output<typeof Place> = {
    Title: "eth8",
    Parts: [{ Of: { Title: "eth9", Parts: [{ Interface: "eth1" }] } }, { Interface: "eth0" }],
  };
  assert.deepEqual(interfaceNamesIn(Place, value), ["eth1", "eth0"]);
  assert.deepEqual(interfaceNamesIn(z.object({ Title: z.string() }), { Title: "eth0" }), []);
});
