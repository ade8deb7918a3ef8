import * as z from "zod";
import { isPublic } from "../core/net/public_address.ts";

/** Whether peers can reach this router from outside, and what to do where they cannot. */
export const Reachable = z.object({
  Verdict: z.enum(["reachable", "off", "no-uplink", "behind-router", "provider-nat", "stopped"])
    .describe(
      "`reachable`: as far as this router can tell; `off`: the VPN is off; `stopped`: its tunnel " +
        "does not run; `no-uplink`: no uplink has an address; `behind-router`: another router " +
        "must forward the port; `provider-nat`: the provider shares its address among customers",
    ),
  Message: z.string().describe("What is the matter and what to do, for people"),
  Address: z.string().describe("The router's address on its first uplink; empty without one"),
  Port: z.int(),
  Endpoint: z.string().describe("Where clients are sent to; empty where that is not known"),
  LastHandshake: z.int().describe("Unix seconds of the latest handshake of any peer; 0 never"),
}).meta({ id: "WireguardReachable" });

/** What the check goes by. */
export interface ReachableFacts {
  readonly enabled: boolean;
  readonly running: boolean;
  /** Why the tunnel does not run; "" where that is not known. */
  readonly problem: string;
  /** IPv4 addresses on uplinks, in their order. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly endpoint: string;
  readonly lastHandshake: number;
}

/** Judges whether peers can reach the router. Nothing is sent: it goes by what the router knows. */
export function judgeReachable(facts: ReachableFacts): z.output<typeof Reachable> {
  const { addresses, port, endpoint, lastHandshake } = facts;
  const address = addresses.find(isPublic) ?? addresses[0] ?? "";
  const rest = { Address: address, Port: port, Endpoint: endpoint, LastHandshake: lastHandshake };
  const is = (Verdict: z.output<typeof Reachable>["Verdict"], Message: string) => ({
    Verdict,
    Message,
    ...rest,
  });
  if (!facts.enabled) return is("off", "Turn it on, or add a device, which turns it on.");
  if (!facts.running) {
    return is("stopped", facts.problem || "Look at what the process wireguard logs.");
  }
  if (address === "") return is("no-uplink", "No uplink has an IPv4 address.");
  if (isPublic(address)) {
    return is(
      "reachable",
      `${address} is a public address, and UDP port ${port} is open on it. If clients still do ` +
        "not connect, check the endpoint in their configuration, and whether the network that " +
        "they are in lets UDP through.",
    );
  }
  if (address.startsWith("100.")) {
    return is(
      "provider-nat",
      `${address} is shared by the provider among customers (CGNAT), so nobody outside can open a ` +
        "connection to this router. Ask the provider for a public IPv4 address, or join a site " +
        "whose router has one: this router then opens the tunnel.",
    );
  }
  return is(
    "behind-router",
    `${address} is a private address: this router is behind another one. On that router, forward ` +
      `UDP port ${port} to ${address}, port ${port}, and set its public address or name as endpoint.`,
  );
}
