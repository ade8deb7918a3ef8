import type { Config } from "../system/config.ts";
import type { Bus } from "../system/core/events/bus.ts";
import type { Engine } from "../system/core/engine/engine.ts";
import type { Notices } from "../system/notices/board.ts";
import { type BackupDeps, backupRoutes } from "./machine/backup.ts";
import { type CertificatesDeps, certificatesRoutes } from "./machine/certificates.ts";
import { type ContainersDeps, containersRoutes } from "./machine/containers.ts";
import { infoRoutes } from "./machine/info.ts";
import { type LogsDeps, logsRoutes } from "./machine/logs.ts";
import { type PackagesDeps, packagesRoutes } from "./machine/packages.ts";
import { pingRoutes } from "./machine/ping.ts";
import { releasesRoutes } from "./machine/releases.ts";
import { speedtestRoutes } from "./machine/speedtest.ts";
import { supportRoutes } from "./machine/support.ts";
import { type TimeDeps, timeRoutes } from "./machine/time.ts";
import { updateRoutes } from "./machine/update.ts";
import type { Route } from "./http/route.ts";

/** Dependencies of the system routes, by area. */
export type MachineDeps =
  & Omit<Parameters<typeof infoRoutes>[0], "engine" | "now">
  & Pick<Parameters<typeof releasesRoutes>[0], "releases">
  & ContainersDeps
  & Pick<TimeDeps, "programs" | "clock">
  & CertificatesDeps
  & PackagesDeps
  & Omit<BackupDeps, "permits" | "engine">
  & LogsDeps;

/** Dependencies of the system routes. */
export interface MachineRoutesDeps {
  readonly engine: Engine<Config>;
  readonly access: TimeDeps["access"];
  readonly notices: Notices;
  readonly bus: Bus;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly machineDeps: MachineDeps;
  /** Which documents a caller may change other than by a route of their own. */
  readonly permits: BackupDeps["permits"];
}

/** The router itself: system information, logs, clock, releases and diagnostics. */
export function machineRoutes({ machineDeps, ...others }: MachineRoutesDeps): Route[] {
  const deps = { ...others, ...machineDeps };
  return [
    ...infoRoutes(deps),
    ...containersRoutes(deps),
    ...packagesRoutes(deps),
    ...timeRoutes(deps),
    ...logsRoutes(deps),
    ...pingRoutes(deps),
    ...speedtestRoutes(),
    ...releasesRoutes(deps),
    ...updateRoutes(deps),
    ...certificatesRoutes(deps),
    ...backupRoutes(deps),
    ...supportRoutes(deps),
  ];
}
