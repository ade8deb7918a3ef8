import type { Devices, Network, Notice } from "../../wire.ts";
import { inSentence, isPendingApproval } from "../../text/format.ts";
import { type LinkRow, stateOf } from "../network/interface_rows.ts";
import { t } from "../../text/language.ts";

/** An item that needs attention. */
export type AttentionItem =
  | { readonly kind: "confirm" }
  | { readonly kind: "network"; readonly text: string }
  | { readonly kind: "setup"; readonly text: string }
  | { readonly kind: "uplink"; readonly name: string; readonly text: string }
  | { readonly kind: "device"; readonly identity: string }
  | { readonly kind: "notice"; readonly notice: Notice };

const STATES = {
  model: "",
  applied: "",
  blocked: t("Another program owns Sluice’s nftables table; nothing is applied"),
  broken: t("Failed to apply: the network is in an unknown state"),
  released: t("Sluice’s rules were removed; nothing is applied"),
} as const;

/** What is missing before the router can work; empty when nothing is. `null`: not known yet. */
function missingLinks(links: readonly LinkRow[] | null, devices: Devices): string {
  if (links === null) return "";
  const has = (...types: readonly string[]) =>
    links.some(({ decided }) => decided?.Enabled && types.includes(decided.Type));
  if (!has("Uplink")) return t("No WAN interface is selected yet; there is no Internet access");
  const peers = Object.values(devices).some(({ WGPubKey }) => WGPubKey !== "");
  return has("Downlink", "AP") || peers
    ? ""
    : t("No LAN interface is selected yet; no device can connect");
}

/** Uplinks in use that carry nothing, with the word for it. */
function downUplinks(links: readonly LinkRow[]): readonly AttentionItem[] {
  return links.flatMap((row): AttentionItem[] => {
    const { decided, kernel } = row;
    if (decided?.Type !== "Uplink" || !decided.Enabled) return [];
    const [shape, word] = stateOf(row);
    if (shape !== "dot warning") return [];
    const text = kernel === null
      ? t("was not found")
      : word === "No address"
      ? t("has no address: check the provider’s box")
      : t("is {word}: check the cable", { word: inSentence(word) });
    return [{ kind: "uplink", name: row.name, text }];
  });
}

/** Items that need attention, the most urgent first; empty when all is good. */
export function attentionItems(
  now: {
    readonly confirm: boolean;
    readonly network: Network | null;
    readonly devices: Devices;
    readonly notices: readonly Notice[];
    /** Interfaces as configured and live; null while they are not known. */
    readonly links: readonly LinkRow[] | null;
  },
): readonly AttentionItem[] {
  const { network } = now;
  const drift = (network?.drift?.length ?? 0) + (network?.more ?? 0);
  const text = network === null ? "" : STATES[network.state] ||
    (drift > 0 ? t("The live network differs from the configuration") : "");
  const missing = missingLinks(now.links, now.devices);
  return [
    ...(now.confirm ? [{ kind: "confirm" } as const] : []),
    ...(text === "" ? [] : [{ kind: "network", text } as const]),
    ...(missing === "" ? [] : [{ kind: "setup", text: missing } as const]),
    // A model has no cables.
    ...(network?.state === "applied" ? downUplinks(now.links ?? []) : []),
    // A device that waits is an item of its own.
    ...now.notices.filter(({ kind, data }) =>
      kind !== "new-device" || now.devices[String(data["identity"])] === undefined
    ).map((notice) => ({ kind: "notice", notice } as const)),
    ...Object.entries(now.devices).filter(([, device]) => isPendingApproval(device))
      .map(([identity]) => ({ kind: "device", identity } as const)),
  ];
}

/** The state as a title: `All good`, `2 items need attention`. */
export function attentionTitle(amount: number): string {
  if (amount === 0) return t("All good");
  return amount === 1
    ? t("1 item needs attention")
    : t("{amount} items need attention", { amount });
}
