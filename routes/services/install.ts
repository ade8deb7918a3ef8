import type { Running } from "../../system/core/process/lifetime.ts";
import { standardLog } from "../../system/core/log/log.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { installMissing } from "../../system/install/service.ts";

/** Brings the Debian packages that the chosen processes need, says what and why, and ends. */
export function start(settings: Settings): Promise<Running> {
  return Promise.resolve(installMissing(settings, standardLog("install")));
}
