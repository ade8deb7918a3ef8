import { buildLab, INTERNET, type Lab, PROVIDER, UPLINK } from "./lab.ts";
import type { LabProcess } from "./command.ts";
import { patience } from "../pace.ts";
import { type LabRouter, type Lease, startRouter } from "./router.ts";

/** The second provider's end of its uplink; its DHCP server leases from the same network. */
const SECOND_PROVIDER = "100.64.5.1";
/** Further machines of the Internet, beside {@link INTERNET}. */
export const MACHINES: readonly string[] = Array.from(
  { length: 12 },
  (_, i) => `198.51.100.${20 + i}`,
);

/** A lab with two uplinks: `wan0` has a fixed address, `wan1` asks a stock DHCP server. */
export interface UplinkLab {
  readonly lab: Lab;
  readonly router: LabRouter;
  /** A client with a lease and the policy wan. */
  readonly client: Lease & { readonly name: string; readonly mac: string };
  /** Plugs the cable of an uplink in or out, at the provider's end. */
  plug(link: "wan0" | "wan1", on: boolean): Promise<void>;
  /**
   * The router's own address that a machine of the Internet sees; null when nothing comes back within
   * so many seconds, one unless told.
   */
  seen(machine: string, seconds?: number): Promise<string | null>;
  /** Puts another DHCP server in the place of the second provider's, with these options alone. */
  provide(options: readonly string[]): Promise<void>;
}

/** How the lab is made. */
export interface UplinkLabOptions {
  readonly name: string;
  /** Settings of `configs/base/wan.json` that are others than the lab's own. */
  readonly wan?: Readonly<Record<string, unknown>>;
  /** Options of dnsmasq beside its range. */
  readonly dhcp?: readonly string[];
  /** As in the router's own options. */
  readonly covers?: Readonly<Record<string, string>>;
  /** Services beside uplinkd, joined by commas. */
  readonly services?: string;
  /** Configuration files beside those of the lab. */
  readonly files?: Readonly<Record<string, unknown>>;
}

const WAN = { Balance: "pair", IntervalSeconds: 2, FailThreshold: 2, RecoverThreshold: 2 };

/** Builds the lab for the time of the work. */
export async function withUplinks(
  options: UplinkLabOptions,
  work: (bed: UplinkLab) => Promise<void>,
): Promise<void> {
  const lab = await buildLab({ name: options.name, clients: 1 });
  try {
    await secondLink(lab);
    let server = await secondServer(lab, ["--dhcp-option=26,1400", ...options.dhcp ?? []]);
    const router = await startRouter(lab, {
      services: ["uplinkd", ...options.services?.split(",") ?? []].join(),
      covers: options.covers ?? {},
      files: {
        "base/interfaces.json": interfaces(lab),
        "base/wan.json": { ...WAN, ...options.wan },
        ...options.files,
      },
    });
    try {
      const [first] = lab.clients;
      const client = { ...first!, ...await router.lease(first!) };
      const body = { Policies: ["wan", "dns"] };
      const given = await router.api("PUT", `/device?identity=${client.mac}`, { body });
      if (given.status !== 200) throw new Error(given.text);
      await work({
        lab,
        router,
        client,
        provide: async (others) => {
          await server.stop();
          server = await secondServer(lab, others);
        },
        plug: async (link, on) => {
          await lab.must("wan", "ip", ["link", "set", link, on ? "up" : "down"]);
        },
        seen: async (machine, seconds = 1) => {
          const args = ["-sS", "-m", String(patience(seconds)), `http://${machine}/`];
          const page = await lab.exec(client.name, "curl", args);
          return /internet (\S+)/.exec(page.stdout)?.[1] ?? null;
        },
      });
    } finally {
      await router.close();
    }
  } finally {
    await lab.close();
  }
}

async function secondLink(lab: Lab): Promise<void> {
  const wan = lab.space("wan");
  const ends = ["link", "add", "wan1", "type", "veth", "peer", "wan1", "netns", wan];
  await lab.must("router", "ip", ends);
  for (const machine of MACHINES) {
    await lab.must("wan", "ip", ["address", "add", `${machine}/32`, "dev", "lo"]);
  }
  await lab.must("wan", "ip", ["address", "add", `${SECOND_PROVIDER}/24`, "dev", "wan1"]);
  await lab.must("wan", "ip", ["link", "set", "wan1", "up"]);
  // A reply that comes by the other provider is not taken there.
  for (const name of ["all", "wan0", "wan1"]) {
    await lab.must("wan", "sysctl", ["-q", "-w", `net.ipv4.conf.${name}.rp_filter=1`]);
  }
}

async function secondServer(lab: Lab, options: readonly string[]): Promise<LabProcess> {
  const server = lab.spawn("wan", "dnsmasq", [
    ...["--no-daemon", "--conf-file=/dev/null", "--port=0", "--bind-interfaces"],
    ...["--interface=wan1", "--dhcp-range=100.64.5.50,100.64.5.90,2m", "--dhcp-authoritative"],
    ...["--dhcp-leasefile=/dev/null", "--no-ping", ...options],
  ]);
  await server.line(/DHCP, IP range/);
  return server;
}

function interfaces(lab: Lab): readonly unknown[] {
  const link = (Name: string, Type: string, more: Readonly<Record<string, unknown>> = {}) => ({
    Name,
    Type,
    Enabled: true,
    ...more,
  });
  return [
    link("wan0", "Uplink", { DisableDHCP: true, IP: `${UPLINK}/24`, Router: PROVIDER }),
    link("wan1", "Uplink"),
    ...lab.clients.map((client) => link(client.link, "Downlink")),
  ];
}

export { INTERNET };
