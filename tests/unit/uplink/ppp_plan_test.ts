import assert from "node:assert/strict";
import { networkPlanner } from "../../../system/network/planner.ts";
import { PppEntry } from "../../../system/uplink/schema.ts";
import { kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();

const ACCOUNT = PppEntry.parse({
  ...{ Iface: "eth0", PPPIface: "ppp0", Enabled: true, Username: "me", Secret: "s" },
});
const DOWN = ["lo", "eth0", "eth1", "wlan1"] as const;

function desired(up: readonly string[], further: readonly string[] = []) {
  const config = network({}, {
    ppp: [ACCOUNT],
    interfaces: [
      link("eth0", "Uplink", { Subtype: "pppup" }),
      ...further.map((name) =>
        link(name, "Uplink", { DisableDHCP: true, IP: "203.0.113.2/24", Router: "203.0.113.1" })
      ),
      link("eth1", "Downlink"),
    ],
  });
  const links = [...DOWN, ...further, ...up];
  const addresses = up.map((name) => ({ link: name, address: "100.64.7.10/32" }));
  return planner.desire(config, seenOn(), kernel(links, { addresses }));
}

const text = (before: ReturnType<typeof desired>, after: ReturnType<typeof desired>) =>
  planner.describe(planner.diff(before, after)).filter((line) => line.startsWith("ip "));

Deno.test("a PPPoE connection adds its routes when up and removes them when down", () => {
  assert.deepEqual(text(desired([]), desired(["ppp0"])), ["ip route replace default dev ppp0"]);
  assert.deepEqual(text(desired(["ppp0"]), desired([])), []);
  assert.deepEqual(text(desired(["other", "ppp0"]), desired(["ppp0"])), [
    "ip route replace default dev ppp0",
  ], "an interface that was made anew has no earlier routes");
});

Deno.test("a PPPoE connection that goes down leaves its rules and no routes beside another uplink", () => {
  const gone = text(desired(["ppp0"], ["eth2"]), desired([], ["eth2"]));
  assert.deepEqual(gone.filter((line) => /^ip (route|addr)/.test(line)), [
    "ip route replace default via 203.0.113.1 dev eth2",
  ]);
  assert.ok(gone.some((line) => /^ip rule del/.test(line)), gone.join("\n"));
});
