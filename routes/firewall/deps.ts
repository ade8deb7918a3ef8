import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/change.ts";

/** What the routes of the firewall need from outside. */
export interface FirewallDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
}

/** What all routes of the firewall have in common. */
export const FIREWALL = { tag: "Firewall", access: "auth", document: "firewall" } as const;
