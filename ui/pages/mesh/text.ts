import type { LeafState } from "./wire.ts";
import { t, tn } from "../../text/language.ts";

/** How a leaf router is, in a word, and whether that needs a person. */
export const STATUS: Readonly<
  Record<LeafState["Status"], { readonly text: string; readonly fine: boolean }>
> = {
  connecting: { text: t("Connecting"), fine: true },
  synced: { text: t("In sync"), fine: true },
  behind: { text: t("Behind"), fine: false },
  notLeaf: { text: t("Not in leaf mode"), fine: false },
  unreachable: { text: t("Not reachable"), fine: false },
  untrusted: { text: t("Another certificate"), fine: false },
  refused: { text: t("Token refused"), fine: false },
};

/** Seconds that a clock may be off before the page says so. */
const CLOCK_TOLERANCE = 120;

/** What the version of another router means; "" where it is the same or not known. */
export function versionText(
  { Version, Relation }: Pick<LeafState, "Version" | "Relation">,
): string {
  if (Version === "" || Relation === "same" || Relation === "unknown") return Version;
  return Relation === "older"
    ? t("{version}, older than this router", { version: Version })
    : t("{version}, newer than this router", { version: Version });
}

/** How far a clock is off; "" where it is right or not known. */
export function clockText({ ClockAhead }: Pick<LeafState, "ClockAhead">): string {
  if (ClockAhead === null || Math.abs(ClockAhead) <= CLOCK_TOLERANCE) return "";
  const minutes = Math.round(Math.abs(ClockAhead) / 60);
  const amount = minutes < 120
    ? t("{minutes} minutes", { minutes })
    : t("{minutes} hours", { minutes: Math.round(minutes / 60) });
  return ClockAhead > 0
    ? t("Its clock is {amount} ahead", { amount })
    : t("Its clock is {amount} behind", { amount });
}

/** `1 device`, `3 devices`. */
export function devicesText(count: number): string {
  return tn("{count} device", "{count} devices", count);
}

/** How the clients of a leaf router are connected, for example `Clients on mesh-leaf1, encrypted`. */
export function linkText({ Link, Plain }: Pick<LeafState, "Link" | "Plain">): string {
  if (Plain) return t("Its clients are on this network by the cable, not encrypted");
  if (Link === null) return t("Its clients have a network of its own");
  const { Interface: name, Problem } = Link;
  const isEncrypted = Link.Kind === "wireguard";
  if (Problem !== "") {
    return t("Encrypted link of {name} down: {problem}", { name, problem: Problem });
  }
  switch (Link.State) {
    case "connected":
      return isEncrypted
        ? t("Clients on {name}, encrypted (WireGuard)", { name })
        : t("Clients on {name}, not encrypted (VXLAN)", { name });
    case "waiting":
      return isEncrypted
        ? t("Clients on {name}, encrypted, connecting", { name })
        : t("Clients on {name}, not encrypted, connecting", { name });
    case "away":
      return isEncrypted
        ? t("Clients on {name}, encrypted, interrupted", { name })
        : t("Clients on {name}, not encrypted, interrupted", { name });
  }
}
