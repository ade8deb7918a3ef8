import type { Config } from "../../config.ts";
import { WIFI_UPLINK } from "../../network/interfaces/schema.ts";
import { ssidBytes } from "../radio/settings_schema.ts";
import type { JoinedNetwork, PlannedSupplicant, WpaInterface, WpaNetwork } from "./schema.ts";
import { PORTAL_CHECK_URL } from "./schema.ts";
import { isRawKey, passwordProblem } from "./rules.ts";

/** The uplinks by Wi-Fi that are on, in the order of their entries. */
export function wifiUplinks(
  { interfaces, wpa }: Pick<Config, "interfaces" | "wpa">,
): readonly WpaInterface[] {
  return wpa.filter(({ Iface, Enabled }) =>
    Enabled &&
    interfaces.some((one) =>
      one.Name === Iface && one.Type === "Uplink" && one.Subtype === WIFI_UPLINK && one.Enabled
    )
  );
}

/** What wifid keeps a wpa_supplicant on. */
export function plannedSupplicants(
  config: Pick<Config, "interfaces" | "wpa" | "radios">,
): readonly PlannedSupplicant[] {
  const country = Object.values(config.radios)[0]?.country_code ?? "";
  return wifiUplinks(config).map(({ Iface, Networks }) => ({
    name: Iface,
    country,
    networks: Networks.flatMap(joined),
  }));
}

/** A network of an edited file may have no password that fits: it is not joined. */
function joined(one: WpaNetwork): readonly JoinedNetwork[] {
  const bytes = ssidBytes({ ssid: one.SSID, ssid_hex: one.SSIDHex ?? "" });
  if (one.Disabled || bytes.length === 0 || passwordProblem(one) !== null) return [];
  const text = one.KeyMgmt.split(" ") as JoinedNetwork["keys"];
  const isPsk = text.some((word) => word !== "SAE" && word !== "NONE");
  return [{
    name: one.SSID || `\\x${one.SSIDHex}`,
    ssidHex: bytes.toHex(),
    // A key of WPA2 is no password, which WPA3 needs.
    keys: isPsk && isRawKey(one.Password) ? text.filter((word) => word !== "SAE") : text,
    password: one.Password,
    priority: Number(one.Priority || 0),
    bssid: one.BSSID ?? "",
  }];
}

/** The page that is requested on each uplink by Wi-Fi, to detect captive portals. */
export function portalChecks(
  config: Pick<Config, "interfaces" | "wpa">,
): ReadonlyMap<string, string> {
  return new Map(
    wifiUplinks(config).map(({ Iface, PortalCheckURL }) =>
      [Iface, PortalCheckURL ?? PORTAL_CHECK_URL] as const
    ).filter(([, url]) => url !== ""),
  );
}
