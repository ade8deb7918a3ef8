import { age } from "../../text/time.ts";
import type { Peer, Server, Site } from "./wire.ts";

/** When a tunnel was last in touch. */
export function handshakeText({ LatestHandshake }: Pick<Peer, "LatestHandshake">): string {
  return LatestHandshake === 0 ? "never" : age(LatestHandshake * 1000, Date.now());
}

/** How the VPN runs, in a line. */
export function runningText({ Enabled, Running, Backend, Problem, ListenPort }: Server): string {
  if (!Enabled) return "Off";
  if (!Running) return Problem || "Starting";
  return `On, UDP port ${ListenPort}, carried by ${Backend === "kernel" ? "the kernel" : Backend}`;
}

/** Where the other router of a site is reached. */
export function siteText({ Networks, Endpoint, Enabled, Groups, Policies }: Site): string {
  return [
    Networks.join(", "),
    Endpoint === "" ? "the other router calls" : `called at ${Endpoint}`,
    ...(Groups.length === 0 ? [] : [`groups ${Groups.join(", ")}`]),
    ...(Policies.includes("lan") ? ["may open connections to the LAN"] : []),
    ...(Groups.length + Policies.length === 0 ? ["nothing passes yet"] : []),
    ...(Enabled ? [] : ["off"]),
  ].join(" · ");
}

/** The parts of a comma-separated list. */
export function listOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== "");
}
