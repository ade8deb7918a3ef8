import assert from "node:assert/strict";
import { adminPorts, sshdPorts } from "../../../system/firewall/admin_ports.ts";
import { DEFAULT_FIREWALL } from "../../../system/firewall/schema.ts";
import { tracePacket } from "../../../system/firewall/trace/trace.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { kernel, network, seenOn } from "../../kit/builders/small_network.ts";

Deno.test("the ports of sshd are read from each way to write them, comments and others are not", () => {
  const text = [
    "#Port 1",
    "Port 2222",
    "port=2223",
    "ListenAddress 192.0.2.1:2224",
    "ListenAddress [2001:db8::1]:2225",
    "ListenAddress 2001:db8::1",
    "ListenAddress 192.0.2.2",
    "GatewayPorts 9",
    "\tPort 2226 # of the staff",
  ].join("\n");
  assert.deepEqual(sshdPorts([text, "Port 70000"]), [2222, 2223, 2224, 2225, 2226]);
});

Deno.test("a device without admin access reaches no port of our listeners and sshd", () => {
  const ports = adminPorts([{ port: 8080 }, { port: 0 }], [2222]);
  assert.deepEqual(ports, { web: ["80", "443", "8080"], ssh: ["22", "2222"] });
  const planner = networkPlanner({ adminPorts: ports });
  const verdict = (policies: "noapi"[], dport: number) => {
    const config = network({ "02:00:00:00:00:0a": { ip: "192.168.2.6", policies } }, {
      firewall: {
        ...DEFAULT_FIREWALL,
        ServicePorts: ["443", "2222", "8080", "9000"].map((Port) => ({
          Protocol: "tcp",
          Port,
          UpstreamEnabled: false,
          Description: "",
        })),
      },
    });
    const desired = planner.desire(config, seenOn(), kernel());
    const packet = planner.firstPacket(desired, {
      source: "192.168.2.6",
      destination: "192.168.2.1",
      protocol: "tcp",
      dport,
    });
    return tracePacket(desired.ruleset, packet).verdict;
  };
  for (const port of [443, 2222, 8080]) {
    assert.equal(verdict([], port), "accept");
    assert.equal(verdict(["noapi"], port), "drop");
  }
  assert.equal(verdict(["noapi"], 9000), "accept");
});
