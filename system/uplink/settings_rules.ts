import type { Config } from "../config.ts";
import { isRecord } from "../core/config/json.ts";
import { invalid } from "../core/errors/problem.ts";
import { DEFAULT_WAN, MAX_UPLINKS, ProbeTarget, UplinkShare, WanConfig } from "./schema.ts";

/** Most probe targets: each is asked on every uplink at every interval. */
const MAX_TARGETS = 16;

/** Field by its name without regard to case, as in all requests. */
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

/** The settings that clients of other routers know nothing of. */
type OwnSettings = Pick<WanConfig, "ProbeGateway" | "Balance" | "Uplinks">;

/**
 * The settings that a file or request means: what is out of range, malformed or missing is repaired
 * rather than refused, as existing clients rely on. `own`: what holds of settings that those clients
 * do not know, where they are missing.
 */
export function repairedWan(raw: unknown, own: OwnSettings = DEFAULT_WAN): WanConfig {
  const given = isRecord(raw) ? raw : {};
  const flag = (name: "Enabled" | "ProbeGateway" | "FailoverEnabled"): boolean => {
    const value = field(given, name);
    if (name === "ProbeGateway" && (value ?? null) === null) return own.ProbeGateway;
    return typeof value === "boolean" ? value : DEFAULT_WAN[name];
  };
  const targets = field(given, "ProbeTargets");
  const known = (Array.isArray(targets) ? targets : []).filter((one) =>
    typeof one === "string" && ProbeTarget.safeParse(one).success
  ) as string[];
  const balance = WanConfig.shape.Balance.safeParse(field(given, "Balance") ?? own.Balance);
  const threshold = { least: 1, most: 60 };
  return {
    Enabled: flag("Enabled"),
    IntervalSeconds: within(field(given, "IntervalSeconds"), { least: 2, most: 60 }) ??
      DEFAULT_WAN.IntervalSeconds,
    ProbeTargets: [...new Set(known)].slice(0, MAX_TARGETS),
    ProbeGateway: flag("ProbeGateway"),
    FailThreshold: within(field(given, "FailThreshold"), threshold) ?? DEFAULT_WAN.FailThreshold,
    RecoverThreshold: within(field(given, "RecoverThreshold"), threshold) ??
      DEFAULT_WAN.RecoverThreshold,
    FailoverEnabled: flag("FailoverEnabled"),
    Balance: balance.success ? balance.data : DEFAULT_WAN.Balance,
    Uplinks: shares(field(given, "Uplinks") ?? own.Uplinks),
    SpeedTestURL: webAddress(field(given, "SpeedTestURL")) ?? DEFAULT_WAN.SpeedTestURL,
  };
}

/** The first entry of each uplink; what is none is left out. */
function shares(raw: unknown): WanConfig["Uplinks"] {
  const known = new Map<string, WanConfig["Uplinks"][number]>();
  for (const one of Array.isArray(raw) ? raw : []) {
    const { success, data } = UplinkShare.safeParse(one);
    if (success && !known.has(data.Iface)) known.set(data.Iface, data);
  }
  return [...known.values()].slice(0, MAX_UPLINKS);
}

/**
 * Sets how uplinks are watched, and connections given to them. Throws Problem 400 for an uplink that
 * is none and was not listed before.
 */
export function setWan(config: Config, wan: WanConfig): [Config, WanConfig] {
  const uplinks = config.interfaces.filter(({ Type }) => Type === "Uplink").map(({ Name }) => Name);
  const listed = config.wan.Uplinks.map(({ Iface }) => Iface);
  const at = wan.Uplinks.findIndex(({ Iface }) => ![...uplinks, ...listed].includes(Iface));
  if (at >= 0) {
    throw invalid(`/Uplinks/${at}/Iface`, `${wan.Uplinks[at]!.Iface} is no uplink`);
  }
  const same = JSON.stringify(config.wan) === JSON.stringify(wan);
  return [same ? config : { ...config, wan }, wan];
}
