import type { Action } from "../../../actions/action.ts";
import type { Devices } from "../../../wire.ts";
import { decideName } from "../overrides/actions.ts";
import type { LogEntry, LogSettings } from "../wire.ts";
import { clientOf, queryName, whoOf } from "../text.ts";
import { t } from "../../../text/language.ts";

/** Allows or blocks the name of a query for the device that sent it, for ever. */
export function decideEntry(
  entry: LogEntry,
  type: "permit" | "block",
  devices: Devices | null,
): Action {
  const who = whoOf(entry, devices);
  const domain = `${queryName(entry)}.`;
  return decideName({ type, domain, client: clientOf(entry), who, seconds: "0" }, () => {});
}

/** Where the settings of the log are. */
export const LOG_SETTINGS = "/plugins/dns/log/settings";

/** Changes some settings of the query log; the rest stays unchanged. */
export function setKept(
  part: Partial<LogSettings>,
  text: Pick<Action, "subject" | "sentence" | "button">,
  etag: string | null,
): Action {
  return {
    title: t("Preview: query log"),
    ...text,
    done: text.sentence,
    request: () => ({ method: "PUT", path: LOG_SETTINGS, body: part, ifMatch: etag }),
  };
}

/** Turns logging the queries of a device on or off. */
export function keepOf(
  device: { readonly name: string; readonly address: string },
  keep: boolean,
  settings: { readonly now: LogSettings; readonly etag: string | null },
): Action {
  const others = settings.now.HostPrivacyIPList.filter((one) => one !== device.address);
  return setKept({ HostPrivacyIPList: keep ? others : [...others, device.address] }, {
    subject: device.name,
    sentence: keep
      ? t("has its queries logged again.")
      : t("no longer has its queries logged. Existing entries stay until you clear them."),
    button: keep ? t("Log queries") : t("Stop logging"),
  }, settings.etag);
}
