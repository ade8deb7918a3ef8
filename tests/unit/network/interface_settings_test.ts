import assert from "node:assert/strict";
import { Problem } from "../../../system/core/errors/problem.ts";
import { Interface } from "../../../system/network/interfaces/schema.ts";
import { setInterface } from "../../../system/network/interfaces/settings_rules.ts";
import { InterfaceSettings } from "../../../system/network/interfaces/settings_schema.ts";
import { configWith } from "../../kit/builders/device_config.ts";

const wan = (fields: object = {}) =>
  Interface.parse({ Name: "wan0", Type: "Uplink", Enabled: true, ...fields });
const settings = (fields: object) => InterfaceSettings.parse({ Name: "wan0", ...fields });
const ACCOUNT = { Username: "me@isp.example", Secret: "hunter22" };

/** The pointers of what is refused. */
function refused(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return error.errors.map(({ pointer }) => pointer);
    throw error;
  }
  return assert.fail("it was not refused");
}

Deno.test("role, address and MAC address of an interface are set at once", () => {
  const [{ interfaces }] = setInterface(
    configWith({ interfaces: [] }),
    settings({
      Type: "Uplink",
      Enabled: true,
      Addressing: "static",
      IP: "203.0.113.2/24",
      Router: "203.0.113.1",
      MACOverride: "02:00:00:00:0a:01",
    }),
  );
  const [link] = interfaces;
  assert.deepEqual(
    [link?.Type, link?.DisableDHCP, link?.IP, link?.Router, link?.MACOverride],
    ["Uplink", true, "203.0.113.2/24", "203.0.113.1", "02:00:00:00:0a:01"],
  );
});

Deno.test("an account of PPPoE connects while its interface is enabled, and goes with another addressing", () => {
  const [connected] = setInterface(
    configWith({ interfaces: [wan()] }),
    settings({ Enabled: true, Addressing: "pppoe", PPPoE: ACCOUNT }),
  );
  assert.deepEqual([connected.ppp[0]?.Enabled, connected.interfaces[0]?.Subtype], [true, "pppup"]);
  const [off] = setInterface(connected, settings({ Enabled: false }));
  assert.deepEqual([off.ppp[0]?.Enabled, off.ppp[0]?.Secret], [false, "hunter22"]);
  const [dhcp] = setInterface(connected, settings({ Enabled: true, Addressing: "dhcp" }));
  assert.deepEqual([dhcp.ppp, dhcp.interfaces[0]?.Subtype, dhcp.interfaces[0]?.Enabled], [
    [],
    "",
    true,
  ]);
  const [lan] = setInterface(connected, settings({ Type: "Downlink" }));
  assert.deepEqual([lan.ppp, lan.interfaces[0]?.Type], [[], "Downlink"]);
});

Deno.test("a LAN interface that becomes a trunk stays disabled where it is", () => {
  const config = configWith({ interfaces: [wan({ Type: "Downlink" })] });
  const [trunk] = setInterface(config, settings({ Enabled: false, Trunk: true }));
  assert.deepEqual([trunk.interfaces[0]?.Subtype, trunk.interfaces[0]?.Enabled], [
    "VLAN-Trunk",
    false,
  ]);
  const [plain] = setInterface(trunk, settings({ Trunk: false }));
  assert.equal(plain.interfaces[0]?.Subtype, "");
});

Deno.test("what does not fit the interface is refused at its field", () => {
  const config = configWith({ interfaces: [wan()] });
  const cases: readonly (readonly [object, string])[] = [
    [{ Type: "Downlink", Addressing: "dhcp" }, "/Addressing"],
    [{ PPPoE: ACCOUNT }, "/PPPoE"],
    [{ Addressing: "pppoe" }, "/PPPoE/Username"],
    [{ Enabled: true, Addressing: "pppoe", PPPoE: { Username: "me" } }, "/PPPoE/Secret"],
    [{ Trunk: true }, "/Trunk"],
    [{ Type: "AP", Trunk: true }, "/Trunk"],
    [{ Type: "Other", Trunk: true }, "/Trunk"],
    [{ Addressing: "static" }, "/IP"],
    [{ Type: "AP", IP: "203.0.113.2/24" }, "/Name"],
  ];
  for (const [fields, at] of cases) {
    assert.deepEqual(refused(() => setInterface(config, settings(fields))), [at]);
  }
});

Deno.test("a new role is checked with the new address, not with the one before", () => {
  const lan = wan({ Type: "Downlink", IP: "10.1.0.1/24" });
  const other = Interface.parse({ Name: "lan1", Type: "Downlink", IP: "10.1.0.2/24" });
  const config = configWith({ interfaces: [lan, other] });
  const uplink = { Type: "Uplink", Addressing: "static", Router: "203.0.113.1" };
  const [{ interfaces: [link] }] = setInterface(
    config,
    settings({ ...uplink, IP: "203.0.113.2/24" }),
  );
  assert.deepEqual([link?.Type, link?.IP], ["Uplink", "203.0.113.2/24"]);
  const clashing = settings({ ...uplink, IP: "10.1.0.9/24", Router: "10.1.0.1" });
  assert.deepEqual(refused(() => setInterface(config, clashing)), ["/IP"]);
  assert.deepEqual(refused(() => setInterface(config, settings({ Type: "Uplink" }))), ["/Type"]);
});

Deno.test("an interface that is not used becomes a trunk only together with its role", () => {
  const config = configWith({ interfaces: [wan({ Type: "Other" })] });
  assert.deepEqual(refused(() => setInterface(config, settings({ Trunk: true }))), ["/Trunk"]);
  const [{ interfaces }] = setInterface(config, settings({ Type: "Downlink", Trunk: true }));
  assert.equal(interfaces[0]?.Subtype, "VLAN-Trunk");
});

Deno.test("the same settings again change nothing", () => {
  const update = settings({ Enabled: true, Addressing: "pppoe", PPPoE: ACCOUNT });
  const [once] = setInterface(configWith({ interfaces: [wan()] }), update);
  const [twice] = setInterface(once, update);
  assert.equal(twice, once);
});
