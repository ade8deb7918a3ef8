import type { Config } from "../config.ts";
import { isRecord } from "../core/config/json.ts";
import { invalid } from "../core/errors/problem.ts";
import {
  DEFAULT_UPLINK_SETTINGS,
  MAX_UPLINKS,
  MIN_LEASED_MTU,
  ProbeTarget,
  UplinkSettings,
  UplinkShare,
} from "./schema.ts";

/** Maximum probe targets: each is probed on every uplink at every interval. */
const MAX_TARGETS = 16;

/** A field by its name, case-insensitive as in all requests. */
function field(raw: Readonly<Record<string, unknown>>, name: string): unknown {
  const key = Object.keys(raw).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : raw[key];
}

function within(
  value: unknown,
  range: { readonly least: number; readonly most: number },
): number | null {
  return Number.isInteger(value) && Number(value) >= range.least && Number(value) <= range.most
    ? Number(value)
    : null;
}

function webAddress(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 2048) return null;
  if (value === "") return "";
  const url = URL.parse(value);
  const plain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
    url.password === "";
  return plain ? url.href : null;
}

/** Settings that clients of other routers do not know. */
type OwnSettings = Pick<
  UplinkSettings,
  "ProbeGateway" | "Balance" | "Failback" | "AcceptSmallMTU" | "Uplinks"
>;

/**
 * The settings that a file or request means: what is out of range, malformed or missing is repaired
 * rather than refused, as existing clients rely on. `own`: the values of settings that
 * those clients do not know.
 */
export function repairedUplinkSettings(
  raw: unknown,
  own: OwnSettings = DEFAULT_UPLINK_SETTINGS,
): UplinkSettings {
  const given = isRecord(raw) ? raw : {};
  const flag = (
    name: "Enabled" | "ProbeGateway" | "FailoverEnabled" | "AcceptSmallMTU",
  ): boolean => {
    const value = field(given, name);
    const isOwn = name === "ProbeGateway" || name === "AcceptSmallMTU";
    if (isOwn && (value ?? null) === null) return own[name];
    return typeof value === "boolean" ? value : DEFAULT_UPLINK_SETTINGS[name];
  };
  const targets = field(given, "ProbeTargets");
  const known = (Array.isArray(targets) ? targets : []).filter((one) =>
    typeof one === "string" && ProbeTarget.safeParse(one).success
  ) as string[];
  const balance = UplinkSettings.shape.Balance.safeParse(field(given, "Balance") ?? own.Balance);
  const failback = UplinkSettings.shape.Failback.safeParse(
    field(given, "Failback") ?? own.Failback,
  );
  const threshold = { least: 1, most: 60 };
  return {
    Enabled: flag("Enabled"),
    IntervalSeconds: within(field(given, "IntervalSeconds"), { least: 2, most: 60 }) ??
      DEFAULT_UPLINK_SETTINGS.IntervalSeconds,
    ProbeTargets: [...new Set(known)].slice(0, MAX_TARGETS),
    ProbeGateway: flag("ProbeGateway"),
    FailThreshold: within(field(given, "FailThreshold"), threshold) ??
      DEFAULT_UPLINK_SETTINGS.FailThreshold,
    RecoverThreshold: within(field(given, "RecoverThreshold"), threshold) ??
      DEFAULT_UPLINK_SETTINGS.RecoverThreshold,
    FailoverEnabled: flag("FailoverEnabled"),
    Balance: balance.success ? balance.data : DEFAULT_UPLINK_SETTINGS.Balance,
    Failback: failback.success ? failback.data : DEFAULT_UPLINK_SETTINGS.Failback,
    AcceptSmallMTU: flag("AcceptSmallMTU"),
    Uplinks: shares(field(given, "Uplinks") ?? own.Uplinks),
    SpeedTestURL: webAddress(field(given, "SpeedTestURL")) ?? DEFAULT_UPLINK_SETTINGS.SpeedTestURL,
  };
}

/** The first entry of each uplink; what is none is left out. */
function shares(raw: unknown): UplinkSettings["Uplinks"] {
  const known = new Map<string, UplinkSettings["Uplinks"][number]>();
  for (const one of Array.isArray(raw) ? raw : []) {
    const { success, data } = UplinkShare.safeParse(one);
    if (success && !known.has(data.Iface)) known.set(data.Iface, data);
  }
  return [...known.values()].slice(0, MAX_UPLINKS);
}

/** The MTU of a lease, as far as it is set on the interface; null for none. */
export function acceptedMtu(
  mtu: number | null,
  { AcceptSmallMTU }: Pick<UplinkSettings, "AcceptSmallMTU">,
): number | null {
  return mtu !== null && mtu < MIN_LEASED_MTU && !AcceptSmallMTU ? null : mtu;
}

/**
 * Sets how uplinks are watched, and connections given to them. Throws Problem 400 for an uplink that
 * is none and was not listed before.
 */
export function setUplinkSettings(config: Config, wan: UplinkSettings): [Config, UplinkSettings] {
  const uplinks = config.interfaces.filter(({ Type }) => Type === "Uplink").map(({ Name }) => Name);
  const listed = config.wan.Uplinks.map(({ Iface }) => Iface);
  const at = wan.Uplinks.findIndex(({ Iface }) => ![...uplinks, ...listed].includes(Iface));
  if (at >= 0) {
    throw invalid(`/Uplinks/${at}/Iface`, `${wan.Uplinks[at]!.Iface} is not an uplink`);
  }
  const same = JSON.stringify(config.wan) === JSON.stringify(wan);
  return [same ? config : { ...config, wan }, wan];
}
