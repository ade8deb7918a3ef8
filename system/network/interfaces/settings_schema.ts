import * as z from "zod";
import { PppUpdate } from "../../uplink/schema.ts";
import { LinkUpdate, UplinkUpdate } from "./update_schema.ts";

/**
 * Body of `PUT /link/settings`: all that is set of one interface, as one change. Missing fields stay
 * unchanged.
 */
export const InterfaceSettings = z.object({
  ...LinkUpdate.omit({ Subtype: true }).shape,
  ...UplinkUpdate.pick({ IP: true, Router: true, AdditionalIPs: true }).shape,
  Addressing: z.enum(["dhcp", "static", "pppoe"], { error: "Use one of dhcp, static, pppoe" })
    .optional()
    .describe(
      "How an uplink gets its address: `static` needs `IP` and `Router`, `pppoe` an account. With " +
        "another one the PPPoE account is deleted",
    ),
  Trunk: z.boolean().optional().describe("Whether a LAN interface is a VLAN trunk"),
  PPPoE: PppUpdate.omit({ Iface: true, Enabled: true }).optional().describe(
    "The account of `pppoe`; it connects while the interface is enabled",
  ),
}).meta({ id: "InterfaceSettings" });
export type InterfaceSettings = z.output<typeof InterfaceSettings>;
