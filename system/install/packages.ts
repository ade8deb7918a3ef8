import { mayApply, type ProcessDescriptor } from "../core/process/descriptor.ts";
import type { Settings } from "../core/process/settings.ts";
import type { NeededPackage } from "./schema.ts";

/** A needed package, whether it is installed or not. */
export type PackageNeed = Pick<NeededPackage, "name" | "neededBy">;

/** The packages of the processes that these settings run, where they may apply a network; else none. */
export function neededPackages(
  processes: readonly ProcessDescriptor[],
  settings: Pick<Settings, "network" | "services">,
): readonly PackageNeed[] {
  if (!mayApply(settings)) return [];
  const needs = new Map<string, { process: string; why: string }[]>();
  for (const { name: process, optional, packages } of processes) {
    if (optional && !settings.services.includes(process)) continue;
    for (const { name, reason: why } of packages) {
      needs.set(name, [...needs.get(name) ?? [], { process, why }]);
    }
  }
  return [...needs].map(([name, neededBy]) => ({ name, neededBy }));
}

/** The needs with what `dpkg-query` says of them; null: there is no dpkg. */
export function withInstalled(
  needs: readonly PackageNeed[],
  output: string | null,
): readonly NeededPackage[] {
  const present = output === null ? null : installedPackages(output);
  return needs.map(({ name, neededBy }) => ({
    name,
    installed: present?.has(name) ?? null,
    neededBy: [...neededBy],
  }));
}

/** `nftables, for netd: loads the firewall rules`. */
export function packageText({ name, neededBy }: PackageNeed): string {
  return `${name}, for ${neededBy.map(({ process, why }) => `${process}: ${why}`).join("; for ")}`;
}

/** The command that installs them by hand. */
export function installCommand(names: readonly string[]): string {
  return `apt-get install ${names.join(" ")}`;
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
