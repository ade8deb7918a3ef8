import { age } from "../../text/time.ts";
import type { Peer, Server, Site } from "./wire.ts";
import { t } from "../../text/language.ts";

/** When a tunnel was last in touch. */
export function handshakeText({ LatestHandshake }: Pick<Peer, "LatestHandshake">): string {
  return LatestHandshake === 0 ? "never" : age(LatestHandshake * 1000, Date.now());
}

/** How the VPN runs, in a line. */
export function runningText({ Enabled, Running, Backend, Problem, ListenPort }: Server): string {
  if (!Enabled) return t("Off");
  if (!Running) return Problem || t("Starting");
  return t("On, UDP port {listenPort}, carried by {backend}", {
    listenPort: ListenPort,
    backend: Backend === "kernel" ? t("the kernel") : Backend,
  });
}

/** Where the other router of a site is reached. */
export function siteText({ Networks, Endpoint, Enabled, Groups, Policies }: Site): string {
  return [
    Networks.join(", "),
    Endpoint === ""
      ? t("the other router calls")
      : t("called at {endpoint}", { endpoint: Endpoint }),
    ...(Groups.length === 0 ? [] : [t("groups {groups}", { groups: Groups.join(", ") })]),
    ...(Policies.includes("lan") ? [t("may open connections to the LAN")] : []),
    ...(Groups.length + Policies.length === 0 ? [t("nothing passes yet")] : []),
    ...(Enabled ? [] : [t("off")]),
  ].join(" · ");
}

/** The parts of a comma-separated list. */
export function listOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== "");
}
