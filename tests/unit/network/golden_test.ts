import { renderLoad } from "../../../system/core/kernel/nft/text.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { group, kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";
import { assertOnRecord } from "../../kit/on_record.ts";

const planner = networkPlanner();

const KEY = "p0jJYyUhGhGQMQLBPFjYSbE0Y0/1mxjPmJkVOLrRVHs=";

/** One of everything: a family's laptop, phone, printer, guest, a machine in quarantine, a VPN peer. */
const HOME = network({
  "02:00:00:00:00:0a": { ip: "192.168.2.6", policies: ["wan", "dns", "lan"], groups: ["kids"] },
  "02:00:00:00:00:0b": { ip: "192.168.2.10", policies: ["wan"], groups: ["kids"], wifi: true },
  "02:00:00:00:00:0c": { ip: "192.168.2.14", policies: ["noapi"], groups: ["print & scan"] },
  "02:00:00:00:00:0d": { ip: "192.168.2.18", policies: ["wan", "quarantine"] },
  "02:00:00:00:00:0e": { ip: "192.168.2.22", policies: ["wan"], disabled: true },
  [KEY]: { ip: "192.168.2.26", key: KEY, policies: ["wan", "lan_upstream"] },
}, {
  groups: [group("kids"), group("print & scan"), group("old", { Disabled: true })],
  interfaces: [link("eth0", "Uplink"), link("eth1", "Downlink"), link("wlan1", "AP")],
});

Deno.test("the whole ruleset of a small home is the one on record", async () => {
  const facts = kernel(["lo", "eth0", "eth1", "wlan1", "wlan1.4096", "wg0"]);
  const observed = seenOn({ "02:00:00:00:00:0b": "wlan1.4096", [KEY]: "wg0" });
  const script = renderLoad(planner.desire(HOME, observed, facts).ruleset);
  await assertOnRecord("small_home.nft", script);
});
