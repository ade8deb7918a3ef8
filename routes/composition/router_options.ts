import type { AccessOptions } from "../../system/access/open.ts";
import type { Config } from "../../system/config.ts";
import type { EngineOptions } from "../../system/core/engine/engine.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { Host } from "../../system/core/kernel/host.ts";
import type { Log } from "../../system/core/log/log.ts";
import type { AdminPorts } from "../../system/firewall/admin_ports.ts";
import type { AppDeps } from "../app.ts";
import type { PluginsOptions } from "./plugins.ts";
import type { MachineOptions } from "./machine.ts";

/** Options of {@link import("./router.ts").openRouter}. */
export interface RouterOptions {
  readonly home: string;
  readonly host: Host;
  /** False while nothing is applied to this machine. Default: always true. */
  readonly isApplied?: () => boolean;
  readonly log: Log;
  readonly bus?: Bus;
  readonly adminPassword: string | null;
  readonly app: Pick<AppDeps, "ui" | "versions" | "names" | "port">;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Monotonic milliseconds; default `now` where that is given. */
  readonly steady?: () => number;
  readonly engine?: Pick<EngineOptions<Config>, "bootClock" | "crash" | "live">;
  readonly access?: Pick<AccessOptions, "announce" | "timer" | "watch" | "random">;
  readonly machine?: MachineOptions;
  /** How plugins are run; default: the process that runs them is not called. */
  readonly plugins?: PluginsOptions;
  /** The server that the history is sent to; absent: none. */
  readonly history?: HistoryOptions | undefined;
  /** Where the router is administered; default the usual ports. */
  readonly adminPorts?: AdminPorts;
  /** The process `wireguard` runs. Default: false. */
  readonly hasTunnels?: boolean;
}

/** A libSQL server for the history. */
export interface HistoryOptions {
  readonly url: string;
  /** Null: that of its file, if there is one. */
  readonly token: string | null;
}
