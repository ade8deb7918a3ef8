import type { Config } from "../../config.ts";
import type { Interface } from "./schema.ts";
import { TRUNK } from "./vlan_links.ts";

/** What an interface is for. */
export type InterfaceRole = "uplink" | "lan" | "vlan-trunk" | "radio" | "other";

/** Roles in sentences. */
const WORDS: Readonly<Record<InterfaceRole, string>> = {
  uplink: "a WAN interface",
  lan: "a LAN interface",
  "vlan-trunk": "a VLAN trunk",
  radio: "a Wi-Fi radio",
  other: "an interface",
};

/** What an interface of the configuration is for. */
export function roleOf({ Type, Subtype }: Pick<Interface, "Type" | "Subtype">): InterfaceRole {
  switch (Type) {
    case "AP":
      return "radio";
    case "Uplink":
      return "uplink";
    case "Downlink":
      return Subtype === TRUNK ? "vlan-trunk" : "lan";
    default:
      return "other";
  }
}

/**
 * Interfaces that a change configures although this machine does not have them, one sentence each, for
 * the preview. `present`: knows the names of those that it has.
 */
export function absentInterfaces(
  before: Pick<Config, "interfaces">,
  after: Pick<Config, "interfaces">,
  present: { readonly has: (name: string) => boolean },
): readonly string[] {
  if (before.interfaces === after.interfaces) return [];
  const known = new Set(
    before.interfaces.filter(isUsed).map((one) => `${one.Name} ${roleOf(one)}`),
  );
  return after.interfaces.filter((one) =>
    isUsed(one) && !present.has(one.Name) && !known.has(`${one.Name} ${roleOf(one)}`)
  ).map((one) =>
    `This machine has no interface ${one.Name}, which is ${WORDS[roleOf(one)]}: ` +
    "its settings take effect once it is there"
  );
}

function isUsed({ Type, Enabled }: Interface): boolean {
  return Enabled && Type !== "Other";
}
