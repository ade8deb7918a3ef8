import { mayApply, type Package, type ProcessDescriptor } from "../core/process/descriptor.ts";
import type { Settings } from "../core/process/settings.ts";

/** The packages of the processes that these settings run. Without a network and services: none. */
export function neededPackages(
  processes: readonly ProcessDescriptor[],
  settings: Pick<Settings, "network" | "services">,
): readonly Package[] {
  const needs = processes
    .filter(({ name, optional }) =>
      optional ? settings.services.includes(name) : mayApply(settings)
    )
    .flatMap(({ packages }) => packages);
  return needs.filter((need, at) => needs.findIndex(({ name }) => name === need.name) === at);
}

/**
 * Names of installed packages in the output of `dpkg-query -W -f '${Package} ${Status}\n'`, which
 * also lists removed packages whose settings remain.
 */
export function installedPackages(output: string): ReadonlySet<string> {
  return new Set(
    output.split("\n")
      .filter((line) => line.endsWith(" install ok installed"))
      .map((line) => line.slice(0, line.indexOf(" "))),
  );
}

/** The arguments of `apt-get` that bring these packages without asking anything. */
export function aptArguments(names: readonly string[]): readonly string[] {
  return [
    "install",
    "--yes",
    "--no-install-recommends",
    // Another installation may be under way.
    "-o",
    "DPkg::Lock::Timeout=300",
    // A settings file that someone changed stays as it is.
    "-o",
    "Dpkg::Options::=--force-confold",
    ...names,
  ];
}
