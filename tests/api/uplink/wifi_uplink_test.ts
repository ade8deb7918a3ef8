import assert from "node:assert/strict";
import { eventually } from "../../kit/eventually.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";
import { uplinkPlan } from "../../../system/uplink/uplink_plan.ts";
import { plannedSupplicants } from "../../../system/wifi/supplicant/plan.ts";
import { FILES, LEASE, send } from "../../kit/lab/two_uplinks.ts";

const SECRET = `it's "so" \\ 😀`;
const HOME = { SSID: "home", Password: SECRET, KeyMgmt: "WPA-PSK SAE", Priority: "2" };
const WISH = { Iface: "lan1", Enabled: true, Networks: [HOME] };

async function put(router: TestRouter, body: unknown, status = 200): Promise<string> {
  const answer = await router.ask("PUT", "/uplink/wifi", { body });
  const text = await answer.text();
  assert.equal(answer.status, status, text);
  return text;
}

/** wifid reports how the uplink does. */
async function report(router: TestRouter, state: unknown): Promise<void> {
  const answer = await router.inside("wifi", "PUT", "/supplicants", { items: [state] });
  assert.equal(answer.status, 200, await answer.text());
}

interface Shown {
  readonly WPAs: readonly {
    readonly Iface: string;
    readonly Enabled: boolean;
    readonly Networks: readonly { readonly SSID: string; readonly Password: string }[];
  }[];
}

const shown = (router: TestRouter): Promise<Shown> => router.json<Shown>("GET", "/uplink/wifi");

Deno.test("PUT /uplink/wifi makes an interface an uplink that joins networks, and masks", async () => {
  await using router = await testRouter({ files: FILES });
  await put(router, WISH);
  const { WPAs: [one] } = await shown(router);
  assert.deepEqual([one!.Iface, one!.Networks[0]!.Password], ["lan1", "**"]);
  const link = router.engine.config.interfaces.find(({ Name }) => Name === "lan1")!;
  assert.deepEqual([link.Type, link.Subtype, link.Enabled], ["Uplink", "wifi", true]);
  // A mask leaves the password; a new network has none to leave.
  await put(router, { ...WISH, Networks: [{ ...HOME, Password: "**", Priority: 7 }] });
  assert.equal(router.engine.config.wpa[0]!.Networks[0]!.Password, SECRET);
  assert.equal(router.engine.config.wpa[0]!.Networks[0]!.Priority, "7");
  const masked = { ...WISH, Networks: [{ ...HOME, SSID: "other", Password: "**" }] };
  assert.match(await put(router, masked, 400), /is new/);
  for (const path of ["/changes", "/interfacesConfiguration", "/notices"]) {
    assert.ok(!(await (await router.ask("GET", path)).text()).includes("it's"), path);
  }
  const answer = await router.ask("DELETE", "/uplink/wifi/lan1");
  assert.equal(answer.status, 200, await answer.text());
  assert.deepEqual((await shown(router)).WPAs, []);
  assert.equal((await router.ask("DELETE", "/uplink/wifi/lan1")).status, 404);
});

Deno.test("PUT /uplink/wifi refuses what cannot be joined, with the field", async () => {
  await using router = await testRouter({ files: FILES });
  const network = (change: unknown) => ({
    ...WISH,
    Networks: [{ ...HOME, ...change as typeof HOME }],
  });
  for (
    const [body, reason] of [
      [network({ Password: "short" }), /8 to 63/],
      [network({ Password: "" }), /password/],
      [network({ KeyMgmt: "NONE" }), /open network/],
      [network({ KeyMgmt: "WPA-EAP" }), /NONE/],
      [network({ Password: "12345678\nssid=evil" }), /line breaks/],
      [network({ SSID: "a\nb" }), /line breaks/],
      [network({ SSID: "" }), /name/],
      [network({ BSSID: "ff:ff:ff:ff:ff:ff" }), /one device|MAC/],
      [network({ Priority: "high" }), /whole number/],
      [{ ...WISH, Networks: [HOME, HOME] }, /twice/],
      [{ ...WISH, ScanIface: "wlan8" }, /both/],
      [{ ...WISH, ScanIface: "wlan8", MonitorIface: "lan1" }, /three/],
      [{ ...WISH, Iface: "lo" }, /itself/],
      [{ ...WISH, PortalCheckURL: "file:///etc/passwd" }, /http/],
    ] as const
  ) assert.match(await put(router, body, 400), reason, JSON.stringify(body));
  assert.deepEqual((await shown(router)).WPAs, []);
});

Deno.test("an uplink by Wi-Fi is in the plans of wifid and uplinkd, and its state is shown", async () => {
  await using router = await testRouter({ files: FILES });
  await put(router, { ...WISH, PortalCheckURL: "http://check.example/nm" });
  assert.deepEqual(plannedSupplicants(router.engine.config), [{
    name: "lan1",
    country: "",
    networks: [{
      name: "home",
      ssidHex: "686f6d65",
      keys: ["WPA-PSK", "SAE"],
      password: SECRET,
      priority: 2,
      bssid: "",
    }],
  }]);
  const status = async () =>
    (await router.json<Record<string, unknown>[]>("GET", "/uplink/wifi/status"))[0]!;
  assert.equal((await status()).State, "unknown");
  const state = {
    ...{ name: "lan1", state: "searching", ssid: "", bssid: "", frequency: 0, signal: 0 },
    problem: "home does not accept the password",
  };
  await report(router, state);
  assert.deepEqual([(await status()).State, (await status()).Problem], [
    "searching",
    state.problem,
  ]);
  const open = async (kind: string): Promise<readonly string[]> =>
    (await router.json<{ items: { kind: string; detail: string }[] }>("GET", "/notices")).items
      .filter((one) => one.kind === kind).map(({ detail }) => detail);
  assert.deepEqual(await open("wifi-uplink"), [
    "The Wi-Fi uplink lan1 is not connected: home does not accept the password",
  ]);
  const on = { ...state, state: "connected", ssid: "home", signal: -50, problem: "" };
  await report(router, on);
  assert.deepEqual(await open("wifi-uplink"), []);
  assert.deepEqual([(await status()).SSID, (await status()).Signal], ["home", -50]);

  await send(router, "/lease", { name: "lan1", lease: LEASE });
  const { config, desired, observed } = router.engine;
  const applied = {
    config,
    desired,
    observed,
    network: { state: "applied", detail: null },
  } as const;
  const { portals } = uplinkPlan({ engine: applied, speed: null });
  assert.deepEqual(portals, [{
    ...{ name: "lan1", link: "lan1", url: "http://check.example/nm", address: LEASE.address },
  }]);
  const url = "http://portal.example/login";
  assert.equal(await send(router, "/portal", { name: "lan1", state: "portal", url }), 200);
  assert.match((await open("uplink-portal"))[0]!, /asks for a sign-in .*http:\/\/portal.example/);
  assert.equal((await status()).Portal, url);
  await send(router, "/portal", { name: "lan1", state: "unknown", url: "" });
  assert.equal((await status()).Portal, url, "what tells nothing leaves what was known");
  const hostile = { name: "lan1", state: "portal", url: "http://x/\u202e\n" };
  assert.equal(await send(router, "/portal", hostile), 400);
  await put(router, { ...WISH, Enabled: false });
  await eventually(
    "no notice is left",
    async () => assert.deepEqual(await open("uplink-portal"), []),
  );
});
