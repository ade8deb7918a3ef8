import type { Running } from "../core/process/lifetime.ts";
import type { Log } from "../core/log/log.ts";
import { type Apt, aptGet, dpkgQuery } from "../host/tools/apt.ts";
import {
  aptArguments,
  installCommand,
  type PackageNeed,
  packageText,
  withInstalled,
} from "./packages.ts";

/** Options of {@link installMissing}. */
export interface InstallOptions {
  /** False: nothing is installed, and the log says what is missing. */
  readonly mayInstall: boolean;
  readonly log: Log;
}

/**
 * Installs those of the Debian packages that are missing, as root; logs which are missing otherwise.
 * Ends by itself with 0: a process that lacks a tool reports that itself, and must not wait for ever
 * for a mirror that does not answer.
 */
export function installMissing(needs: readonly PackageNeed[], options: InstallOptions): Running {
  const stopping = new AbortController();
  const ended = installed(needs, options, stopping.signal);
  return {
    ended,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

async function installed(
  needs: readonly PackageNeed[],
  { mayInstall, log }: InstallOptions,
  signal: AbortSignal,
): Promise<number> {
  if (needs.length === 0) return 0;
  const names = needs.map(({ name }) => name);
  const known = await dpkgQuery(names, signal);
  if (known === null) {
    log.warn("install.not_debian", "This is not a Debian system: install these packages yourself", {
      packages: names,
    });
    return 0;
  }
  const missing = withInstalled(needs, known).filter(({ installed }) => installed === false);
  if (missing.length === 0) return 0;
  for (const need of missing) {
    log.info("install.package_missing", `Needs the Debian package ${packageText(need)}`);
  }
  const wanted = missing.map(({ name }) => name);
  if (!mayInstall) {
    log.warn(
      "install.refused",
      `SLUICE_INSTALL=no: install them yourself with ${installCommand(wanted)}`,
    );
    return 0;
  }
  if (Deno.uid() !== 0) {
    log.warn("install.root_required", `Only root may install them: ${installCommand(wanted)}`);
    return 0;
  }
  await installAll(wanted, log, signal);
  return 0;
}

async function installAll(names: readonly string[], log: Log, signal: AbortSignal): Promise<void> {
  const apt: Apt = aptGet(signal);
  log.info("install.started", "Installing Debian packages", { packages: names });
  let result = await apt(aptArguments(names));
  if (!result.ok && !signal.aborted) {
    // The lists of a fresh machine are empty, those of an old one out of date.
    await apt(["update", "-o", "DPkg::Lock::Timeout=300"]);
    result = await apt(aptArguments(names));
  }
  if (signal.aborted) return;
  if (result.ok) log.info("install.finished", "Installed Debian packages", { packages: names });
  else {log.error("install.failed", "Could not install Debian packages", {
      packages: names,
      reason: result.message,
    });}
}
