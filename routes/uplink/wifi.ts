import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import type { Portals } from "../../system/uplink/health/portals.ts";
import { wifiUplinks } from "../../system/wifi/supplicant/plan.ts";
import { deleteWpa, maskedWpa, setWpa, wpaSecrets } from "../../system/wifi/supplicant/rules.ts";
import { WpaFile, WpaInterface } from "../../system/wifi/supplicant/schema.ts";
import type { SupplicantStates } from "../../system/wifi/supplicant/states.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link wifiUplinkRoutes}. */
export interface WifiUplinkDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly supplicants: Pick<SupplicantStates, "of">;
  readonly uplinks: { readonly portals: Pick<Portals, "urlOf"> };
}

/** How an uplink by Wi-Fi does. */
const WifiUplinkStatus = z.object({
  Iface: z.string(),
  /** `unknown`: wifid has not reported yet. */
  State: z.enum([
    ...["connected", "connecting", "searching", "missing", "failed", "stopped", "unknown"] as const,
  ]),
  /** The network that it is on; "" none. Text from the settings. */
  SSID: z.string(),
  BSSID: z.string(),
  /** MHz; 0 not known. */
  Frequency: z.int(),
  /** dBm; 0 not known. */
  Signal: z.int(),
  /** Why it is not connected; "" none. */
  Problem: z.string(),
  /** Address of the captive portal that it is behind; "" none. Untrusted text. */
  Portal: z.string(),
}).meta({ id: "WifiUplinkStatus" });

/** Uplinks whose radio joins networks. */
export function wifiUplinkRoutes({ engine, supplicants, uplinks }: WifiUplinkDeps): Route[] {
  const common = { path: "/uplink/wifi", tag: "Uplinks", access: "auth", document: "wpa" } as const;
  return [
    route({
      method: "GET",
      path: "/uplink/wifi/status",
      tag: "Uplinks",
      access: "auth",
      summary: "State of the uplinks by Wi-Fi",
      description:
        "Which network each is on, how well, or why it is not. `Portal` is the address of a captive " +
        "portal: untrusted text.",
      response: z.array(WifiUplinkStatus),
    }, () =>
      wifiUplinks(engine.config).map(({ Iface }) => {
        const now = supplicants.of(Iface);
        return {
          Iface,
          State: now?.state ?? ("unknown" as const),
          SSID: now?.ssid ?? "",
          BSSID: now?.bssid ?? "",
          Frequency: now?.frequency ?? 0,
          Signal: now?.signal ?? 0,
          Problem: now?.problem ?? "",
          Portal: uplinks.portals.urlOf(Iface),
        };
      })),
    route({
      method: "GET",
      ...common,
      summary: "Networks that uplinks join, with masked passwords",
      description: "Returns the networks of each interface. Passwords (`Password`) read `**`.",
      response: WpaFile,
    }, () => maskedWpa(engine.config.wpa)),
    route({
      method: "PUT",
      ...common,
      summary: "Set the networks that an interface joins",
      description:
        "The interface becomes an uplink, and gets its address by DHCP. Its networks are replaced; a " +
        "`Password` of `**` leaves that of the network with this name. The one in range with the highest " +
        "`Priority` is joined. An edit does not interrupt a connection whose network stays.",
      body: WpaInterface,
      errors: [409, 412, 502],
    }, (call) =>
      call.decide({
        kind: "uplink.wifi",
        summary: `Set the Wi-Fi networks that ${call.body.Iface} joins`,
        secrets: () => wpaSecrets(call.body),
        reduce: (config) => setWpa(config, call.body),
      })),
    route({
      method: "DELETE",
      ...common,
      path: "/uplink/wifi/{interface}",
      summary: "Delete the networks that an interface joins",
      description: "Disconnects, and forgets networks and passwords; 404 if there are none.",
      examples: { parameters: { interface: "wlan1" } },
      params: z.object({ interface: InterfaceName }),
      errors: [404, 409, 412, 502],
    }, (call) =>
      call.decide({
        kind: "uplink.wifi.delete",
        summary: `Removed the Wi-Fi networks that ${call.params.interface} joins`,
        reduce: (config) => deleteWpa(config, call.params.interface),
      })),
  ];
}
