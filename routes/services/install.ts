import type { Running } from "../../system/core/process/lifetime.ts";
import { standardLog } from "../../system/core/log/log.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { neededPackages } from "../../system/install/packages.ts";
import { installMissing } from "../../system/install/service.ts";
import { PROCESSES } from "../../system/processes.ts";

/** Installs the Debian packages that the enabled processes need, or only logs which and why, and exits. */
export function start(settings: Settings): Promise<Running> {
  return Promise.resolve(
    installMissing(neededPackages(PROCESSES, settings), {
      mayInstall: settings.install,
      log: standardLog("install"),
    }),
  );
}
