import assert from "node:assert/strict";
import { DhcpClients } from "../../../system/uplink/dhcp/dhcp_clients.ts";
import type { DhcpClient } from "../../../system/uplink/plan_schema.ts";

const CLIENT: DhcpClient = {
  ...{ name: "eth0", link: "eth0", index: 2, running: true },
  ...{ carrierUps: null, mac: "", lastAddress: "" },
};
const BOUND = { event: "bound", ip: "100.64.5.9", mask: "24", router: "100.64.5.1", lease: "60" };

Deno.test("what a stopped DHCP client had yet to say changes nothing for the next one", async () => {
  const heard: unknown[] = [];
  const saying: ((line: Readonly<Record<string, string>>) => void)[] = [];
  const clients = new DhcpClients({
    start: (_, on) => {
      saying.push((line) => on.line(JSON.stringify(line)));
      return { stop: () => Promise.resolve() };
    },
    lease: (report) => void heard.push(report.lease),
    reportProblem: (report) => void heard.push(report.detail),
    later: () => () => {},
  });
  await clients.reconcile([CLIENT]);
  saying[0]!(BOUND);
  assert.equal(heard.length, 2);
  // The interface was replaced, so that another client asks.
  await clients.reconcile([{ ...CLIENT, index: 3 }]);
  for (const event of ["deconfig", "nak", "leasefail", "unheard of"]) saying[0]!({ event });
  saying[0]!(BOUND);
  assert.equal(heard.length, 2);
  saying[1]!({ event: "nak" });
  assert.equal(heard.at(-1), null);
});
