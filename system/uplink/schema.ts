import * as z from "zod";
import { hasControl, InterfaceName } from "../core/net/grammar.ts";
import { isUnroutable, parseIpv4 } from "../core/net/net.ts";

/** A number that may be missing or a text: "" and null mean none. */
function optionalNumber(
  error: string,
  { least, most }: { readonly least: number; readonly most: number },
): z.ZodType<string, unknown> {
  return z.preprocess(
    (value) => typeof value === "number" ? String(value) : value ?? "",
    z.string({ error }).transform((text) => text.trim()).refine(
      (text) =>
        text === "" ||
        (/^[1-9]\d{0,4}$/.test(text) && Number(text) >= least && Number(text) <= most),
      { error },
    ).meta({ pattern: "^\\s*([1-9][0-9]{0,4})?\\s*$" }),
  );
}

/** The same in files of other routers, where 0 means none as well. */
function fileNumber(shape: z.ZodType<string, unknown>): z.ZodType<string, unknown> {
  return z.preprocess((value) => value === 0 || value === "0" ? "" : value, shape);
}

const Vlan = optionalNumber("Use a VLAN from 1 to 4094, or leave it empty", {
  ...{ least: 1, most: 4094 },
});
const Mtu = optionalNumber("Use an MTU from 128 to 1492, or leave it empty", {
  ...{ least: 128, most: 1492 },
});

/** A text of an PPPoE account: pppd reads it from one line. */
function accountText(name: string): z.ZodType<string> {
  return z.string().max(255, { error: `Use at most 255 characters for the ${name}` }).refine(
    (text) => !hasControl(text),
    { error: `A ${name} has no line breaks or control characters` },
  );
}

/**
 * A PPPoE account (RFC 2516) on an interface. `MTU` is at most 1492 there
 * (RFC 2516 7), and at least what IPv4 requires of every link (RFC 791: 68); pppd takes 128 and more.
 */
export const PppEntry = z.object({
  Iface: InterfaceName,
  /** The interface that the connection creates, such as ppp0. */
  PPPIface: z.union([InterfaceName, z.literal("")]).default(""),
  Enabled: z.boolean().default(false),
  Username: accountText("user name").refine((text) => text !== "", {
    error: "Use the user name of the PPPoE account",
  }),
  Secret: accountText("secret").default(""),
  VLAN: fileNumber(Vlan),
  MTU: fileNumber(Mtu),
}).meta({ id: "PppEntry" });
export type PppEntry = z.output<typeof PppEntry>;

/** `configs/ppp/ppp.json`. */
export const PppFile = z.object({ PPPs: z.array(PppEntry) }).meta({ id: "PppFile" });

/** Body of `PUT /uplink/ppp`; what is missing stays as it is, a masked secret as well. */
export const PppUpdate = z.object({
  Iface: InterfaceName,
  Enabled: z.boolean().optional(),
  Username: PppEntry.shape.Username.optional(),
  Secret: accountText("secret").optional(),
  VLAN: Vlan.optional(),
  MTU: Mtu.optional(),
}).meta({ id: "PppUpdate" });
export type PppUpdate = z.output<typeof PppUpdate>;

const WEIGHT = "Use a whole number from 0 to 100";

/** A probe target: a host address, never a name. */
export const ProbeTarget = z.string().refine((text) => {
  const value = parseIpv4(text);
  return value !== null && !isUnroutable(value);
}, { error: "Use the IPv4 address of one machine, such as 192.0.2.53" });

/** Maximum uplinks: each has a routing table. */
export const MAX_UPLINKS = 40;

/** Settings of one uplink. */
export const UplinkShare = z.object({
  Iface: InterfaceName,
  /** Its weight among the uplinks, 0–100; 0: standby. */
  Weight: z.int({ error: WEIGHT }).min(0, { error: WEIGHT }).max(100, { error: WEIGHT }).default(1),
}).meta({ id: "UplinkShare" });

/** Settings of uplinks in order of preference, each once. */
export const UplinkShares = z.array(UplinkShare)
  .max(MAX_UPLINKS, { error: `There are at most ${MAX_UPLINKS} uplinks` })
  .superRefine((list, context) => {
    list.forEach(({ Iface }, at) => {
      if (list.findIndex((one) => one.Iface === Iface) === at) return;
      const message = `${Iface} is listed twice`;
      context.addIssue({ code: "custom", path: [at, "Iface"], message });
    });
  });

/**
 * Smallest MTU of a lease that is set unasked (RFC 8200 5: IPv6 needs as much). A smaller one makes
 * every connection slow and breaks tunnels, and is nearly always a mistake or an attack.
 */
export const MIN_LEASED_MTU = 1280;

/** Settings of health checks, failover and balancing (`configs/base/wan.json`). */
export const UplinkSettings = z.object({
  /** Health checks run; otherwise only the carrier counts. */
  Enabled: z.boolean(),
  /** 2–60. */
  IntervalSeconds: z.int(),
  /** Probe targets beside each uplink's gateway; none by default. */
  ProbeTargets: z.array(ProbeTarget),
  /** Health checks ping the gateway. */
  ProbeGateway: z.boolean(),
  /** Consecutive failures until an uplink is down; 1–60. */
  FailThreshold: z.int(),
  /** Consecutive replies until it is up again; 1–60. */
  RecoverThreshold: z.int(),
  /** Failover: an uplink that is down gets no new connections while another is up. */
  FailoverEnabled: z.boolean(),
  /**
   * How connections are balanced over uplinks: `pair` (both ends), `source` (the device),
   * `connection` (at random); `off`, the default: all to the first, the others stand by.
   */
  Balance: z.enum(["pair", "source", "connection", "off"]),
  /**
   * What becomes of connections on a standby once a better uplink is up again: `new`: they stay until they
   * end, and only new ones use the better uplink; `all`: they are ended, so that they start over there.
   */
  Failback: z.enum(["new", "all"]).meta({
    description: "Connections on a standby once a better uplink is up: `new`: they stay until " +
      "they end; `all`: they are ended, so that they start over on the better one",
  }),
  /** An MTU below {@link MIN_LEASED_MTU} that a provider's DHCP gives is set; otherwise it is ignored. */
  AcceptSmallMTU: z.boolean().meta({
    description: "An MTU below 1280 bytes that the provider's DHCP gives is set, not ignored",
  }),
  /** Uplinks in order of preference, with their weights; others follow. */
  Uplinks: UplinkShares,
  /** URL that a speed test downloads; "" for none. */
  SpeedTestURL: z.string(),
}).meta({ id: "UplinkSettings" });
export type UplinkSettings = z.output<typeof UplinkSettings>;

/** Default settings. */
export const DEFAULT_UPLINK_SETTINGS: UplinkSettings = {
  Enabled: true,
  IntervalSeconds: 5,
  ProbeTargets: [],
  ProbeGateway: true,
  FailThreshold: 4,
  RecoverThreshold: 3,
  FailoverEnabled: true,
  Balance: "off",
  Failback: "new",
  AcceptSmallMTU: false,
  Uplinks: [],
  SpeedTestURL: "",
};
