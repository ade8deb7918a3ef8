import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine.ts";

/** What the routes of the firewall need from outside. */
export interface FirewallDeps {
  readonly engine: Pick<Engine<Config>, "config" | "desired" | "host">;
}

/** What all routes of the firewall have in common. */
export const FIREWALL = { tag: "Firewall", access: "auth", document: "firewall" } as const;
