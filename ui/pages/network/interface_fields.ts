import { type Signal, useSignal } from "@preact/signals";
import type { ProblemItem } from "../../api/problem.ts";
import { addressLines, type Chosen, linesToAddresses } from "./settings_text.ts";
import type { Account, InterfaceSettings, Link } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Stands for an unchanged password. */
const MASKED = "**";

/** The fields of the form of an interface. */
export interface Fields {
  readonly role: Signal<string>;
  readonly enabled: Signal<boolean>;
  readonly addressing: Signal<string>;
  readonly ip: Signal<string>;
  readonly router: Signal<string>;
  readonly user: Signal<string>;
  readonly secret: Signal<string>;
  readonly vlan: Signal<string>;
  readonly mtu: Signal<string>;
  readonly trunk: Signal<boolean>;
  /** Additional IPs, one a line. */
  readonly lines: Signal<string>;
  readonly mac: Signal<string>;
  readonly macAddress: Signal<string>;
  readonly cloak: Signal<boolean>;
}

/** The fields as an interface fills them. */
export function useFields(link: Link | null, account: Account | null): Fields {
  return {
    role: useSignal(link?.Type ?? "Downlink"),
    enabled: useSignal(link?.Enabled ?? true),
    addressing: useSignal(account !== null ? "pppoe" : link?.DisableDHCP ? "static" : "dhcp"),
    ip: useSignal(link?.IP ?? ""),
    router: useSignal(link?.Router ?? ""),
    user: useSignal(account?.Username ?? ""),
    secret: useSignal(""),
    vlan: useSignal(account?.VLAN ?? ""),
    mtu: useSignal(account?.MTU ?? ""),
    trunk: useSignal(link?.Subtype === "VLAN-Trunk"),
    lines: useSignal(addressLines(link)),
    mac: useSignal(link?.MACOverride ? "chosen" : link?.MACRandomize ? "drawn" : "own"),
    macAddress: useSignal(link?.MACOverride ?? ""),
    cloak: useSignal(link?.MACCloak ?? false),
  };
}

/** What the fields say now, to compare it later. */
export function chosenOf(fields: Fields): Chosen {
  return {
    role: fields.role.value,
    enabled: fields.enabled.value,
    addressing: fields.addressing.value,
    ip: fields.ip.value.trim(),
    router: fields.router.value.trim(),
    user: fields.user.value.trim(),
    account: [fields.secret, fields.vlan, fields.mtu].map(({ value }) => value).join("\n"),
    lines: fields.lines.value.trim(),
    mac: fields.mac.value,
    macAddress: `${fields.macAddress.value.trim()} ${fields.cloak.value}`,
    trunk: fields.trunk.value,
  };
}

/** What is sent: what fits the role. */
export function settingsOf(
  name: string,
  fields: Fields,
  account: Account | null,
): InterfaceSettings {
  const role = fields.role.value as NonNullable<InterfaceSettings["Type"]>;
  const common = { Name: name, Type: role, Enabled: fields.enabled.value };
  if (role === "AP") return common;
  return {
    ...common,
    ...(role === "Uplink" ? addressingOf(fields, account) : {}),
    ...(role === "Downlink" ? { Trunk: fields.trunk.value } : {}),
    AdditionalIPs: [...linesToAddresses(fields.lines.value) ?? []],
    MACOverride: fields.mac.value === "chosen" ? fields.macAddress.value.trim() : "",
    MACRandomize: fields.mac.value === "drawn",
    MACCloak: fields.mac.value === "drawn" && fields.cloak.value,
  };
}

function addressingOf(
  fields: Fields,
  account: Account | null,
): Pick<InterfaceSettings, "Addressing" | "IP" | "Router" | "PPPoE"> {
  switch (fields.addressing.value) {
    case "static":
      return {
        Addressing: "static",
        IP: fields.ip.value.trim(),
        Router: fields.router.value.trim(),
      };
    case "pppoe": {
      const { value: secret } = fields.secret;
      return {
        Addressing: "pppoe",
        PPPoE: {
          Username: fields.user.value.trim(),
          Secret: secret === "" && account !== null ? MASKED : secret,
          VLAN: fields.vlan.value.trim(),
          MTU: fields.mtu.value.trim(),
        },
      };
    }
    default:
      return { Addressing: "dhcp" };
  }
}

/** What is wrong with the fields that the rules of single fields do not see. */
export function settingsProblems(fields: Fields): readonly ProblemItem[] {
  const found: (ProblemItem | false)[] = [
    fields.role.value !== "AP" && linesToAddresses(fields.lines.value) === null && {
      pointer: "/AdditionalIPs",
      message: t("Enter an IP address and at most one gateway per line"),
    },
    fields.role.value !== "AP" && fields.mac.value === "chosen" &&
    fields.macAddress.value.trim() === "" && {
      pointer: "/MACOverride",
      message: t("Enter a MAC address, for example 02:00:00:00:0a:01"),
    },
    fields.role.value === "Uplink" && fields.addressing.value === "pppoe" &&
    fields.user.value.trim() === "" && {
      pointer: "/PPPoE/Username",
      message: t("Enter the PPPoE user name"),
    },
  ];
  return found.filter((one) => one !== false);
}
