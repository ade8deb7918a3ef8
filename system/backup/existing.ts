import type { Config } from "../config.ts";
import { readUpdates } from "../machine/rules.ts";
import { HostName } from "../machine/schema.ts";
import { isRecord } from "../core/config/json.ts";
import { isTooDeep } from "../core/config/large_json.ts";
import { Problem } from "../core/errors/problem.ts";
import type { Document } from "../core/config/document.ts";
import { dnsDocument } from "../dns/config/document.ts";
import { uplinkSettingsDocument } from "../uplink/settings_document.ts";
import { radiosDocument } from "../wifi/document.ts";
import { readHostapdFiles } from "../wifi/hostapd/existing_files.ts";
import { wireguardDocument } from "../wireguard/document.ts";
import { Endpoints } from "../wireguard/schema.ts";
import { pluginsDocument } from "../plugins/document.ts";
import type { ForeignReader } from "./plan.ts";

const API = "base/api.json";
const CHANNEL = "base/release_channel";
const VERSION = "base/release_version";
const WAN = "base/wan_health.json";
const UPLINKS = "base/uplinks.json";
const VPN = "wireguard/wg0.conf";
const VPN_ENDPOINTS = "wireguard/wg.json";

/** Reads files of an existing router whose settings Sluice stores elsewhere. */
export const existingRouter: ForeignReader<Config> = (texts) => {
  const taken: Record<string, string> = {};
  const parts: { -readonly [K in keyof Config]?: Config[K] } = {};
  const raw: Record<string, unknown> = {};
  const api = json(texts.get(API));
  if (isRecord(api)) {
    for (const name of ["AutoUpdate", "CheckUpdates", "FeatureFlags"]) {
      if (api[name] !== undefined && api[name] !== null) raw[name] = api[name];
    }
    if (Object.keys(raw).length > 0) taken[API] = "updates";
  }
  for (const [path, field] of [[CHANNEL, "CustomChannel"], [VERSION, "CustomVersion"]] as const) {
    const text = texts.get(path)?.trim();
    if (text === undefined) continue;
    raw[field] = text;
    taken[path] = "updates";
  }
  const { value, rejected } = readUpdates(raw);
  // What cannot be used leaves the rest as it is.
  const none = rejected.length === Object.keys(raw).length;
  for (const [path, field] of [[CHANNEL, "CustomChannel"], [VERSION, "CustomVersion"]] as const) {
    if (rejected.some((one) => one.pointer === `/${field}`)) delete taken[path];
  }
  // Ours lies in the archive itself where it is a backup of ours.
  if (texts.has("base/updates.json") || none) {
    for (const path of [API, CHANNEL, VERSION]) delete taken[path];
  } else parts.updates = value;
  const name = texts.get("base/hostname")?.trim();
  if (name !== undefined && json(name) === undefined && HostName.safeParse(name).success) {
    parts.hostName = name;
    taken["base/hostname"] = "hostName";
  }
  if (isRecord(api)) parts.plugins = pluginsDocument.read(api).value;
  const dns = isRecord(api) && !texts.has("base/dns.json") ? readOlder(dnsDocument, api) : null;
  if (dns !== null) {
    parts.dns = dns;
    taken[API] ??= "dns";
  }
  const wan = texts.has(uplinkSettingsDocument.path) ? null : wanSettings(texts);
  if (wan !== null) {
    parts.wan = wan.value;
    for (const path of wan.from) taken[path] = "wan";
  }
  const vpn = texts.has(wireguardDocument.path) ? null : vpnSettings(texts);
  if (vpn !== null) {
    parts.wireguard = vpn.value;
    for (const path of vpn.from) taken[path] = "wireguard";
  }
  const radios = texts.has(radiosDocument.path) ? null : readHostapdFiles(texts);
  if (radios !== null && radios.from.length > 0) {
    parts.radios = radios.value;
    for (const path of radios.from) taken[path] = "radios";
  }
  return { parts, taken };
};

/** The VPN of an existing router; null where its file has none that can be used. */
function vpnSettings(
  texts: ReadonlyMap<string, string>,
): { readonly value: Config["wireguard"]; readonly from: readonly string[] } | null {
  const value = readOlder(wireguardDocument, texts.get(VPN));
  if (value === null) return null;
  const others = json(texts.get(VPN_ENDPOINTS));
  const endpoints = Endpoints.safeParse(isRecord(others) ? others["Endpoints"] : null);
  return endpoints.success
    ? { value: { ...value, Endpoints: endpoints.data }, from: [VPN, VPN_ENDPOINTS] }
    : { value, from: [VPN] };
}

/** WAN settings of an existing router; null where no file has any. */
function wanSettings(
  texts: ReadonlyMap<string, string>,
): { readonly value: Config["wan"]; readonly from: readonly string[] } | null {
  const watched = json(texts.get(WAN)), shared = json(texts.get(UPLINKS));
  const from = [...(isRecord(watched) ? [WAN] : []), ...(isRecord(shared) ? [UPLINKS] : [])];
  if (from.length === 0) return null;
  const { value } = uplinkSettingsDocument.read(isRecord(watched) ? watched : {});
  // There `saddr` is by who asks, and anything else by both ends.
  if (!isRecord(shared)) return { value, from };
  const Balance = shared["LoadBalanceStrategy"] === "saddr" ? "source" : "pair";
  return { value: { ...value, Balance }, from };
}

/** What a file of an existing router says of a document; null where it has nothing that can be used. */
function readOlder<T>({ older }: Document<T>, raw: unknown): T | null {
  try {
    return raw === undefined ? null : older?.read(raw)?.value ?? null;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^auth\/(auth_tokens|otp_settings)\.json$/, "Copy it to configs/auth, where it is taken over"],
  [/^auth\/(webauthn|passkeys)/, "Passkeys belong to the router that they were made on"],
  [/^auth\/(cert\/)?www-api/, "Certificates and keys stay those of this router"],
  [/^wifi\/(sae_passwords|wpa2pskfile)$/, "It is made from the devices"],
  [/^wifi\/(hostapd_|pi-setup_).*\.conf(\.bak)?$/, "It is made from the settings of the radios"],
  [/^base\/(lanip|config\.sh|template_config\.sh)$/, "It is made from pools and links"],
  [/^base\/\.setup/, "This router was set up already"],
  [/^ppp\/(chap-secrets$|peers\/)/, "It is made from the access accounts"],
  [/\.rejected$/, "It could not be used where it comes from either"],
];

/** Why a file is skipped. */
export function skipReason(path: string): string {
  const known = REASONS.find(([pattern]) => pattern.test(path));
  return known?.[1] ?? "It is no part of the configuration of this version";
}

function json(text: string | undefined): unknown {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
