import type { VNode } from "preact";
import { type Action, openPreview } from "../../actions/action.ts";
import type { Notice } from "../../wire.ts";
import { resolveNotice } from "../../actions/notice.ts";
import { t } from "../../text/language.ts";

/** Kind of the notices about unknown devices that get no address. */
const LIMITED_KIND = "unknown-devices-limited";

/** Unknown devices that are refused on an interface. */
export interface LimitedDevices {
  readonly link: string;
  /** By what: so many came within the hour, or the rest of the networks is kept for known ones. */
  readonly limit: "rate" | "pool";
  /** MAC address of the one that sent a request last; "" where it is not known. */
  readonly mac: string;
}

/** The refused devices of a notice; null for any other notice. */
export function limitedDevices(
  { kind, data }: Pick<Notice, "kind" | "data">,
): LimitedDevices | null {
  const link = data?.["subject"], mac = data?.["mac"];
  if (kind !== LIMITED_KIND || typeof link !== "string") return null;
  return {
    link,
    limit: data?.["limit"] === "pool" ? "pool" : "rate",
    mac: typeof mac === "string" ? mac : "",
  };
}

/** Admits unknown devices on an interface for an hour; `after` once that is applied. */
function admitUnknown(link: string, after: () => void): Action {
  return {
    title: t("Preview: unknown devices on {link}", { link }),
    subject: t("Unknown devices on {link}", { link }),
    sentence: t("get an IP address for 1 hour without a limit."),
    details: [t("Each of them has no access until approved.")],
    button: t("Admit for 1 hour"),
    done: t("are admitted for 1 hour."),
    request: () => ({
      method: "PUT",
      path: "/dhcp/admissions",
      body: { Interface: link, Minutes: 60 },
    }),
    after,
  };
}

/** Limits the unknown devices of an interface again. */
export function limitUnknown(link: string, after: () => void): Action {
  return {
    title: t("Preview: unknown devices on {link}", { link }),
    subject: t("Unknown devices on {link}", { link }),
    sentence: t("are limited again. Those already admitted stay."),
    button: t("Limit again"),
    done: t("are limited again."),
    request: () => ({
      method: "PUT",
      path: "/dhcp/admissions",
      body: { Interface: link, Minutes: 0 },
    }),
    after,
  };
}

/** Actions for refused unknown devices: admit all for a while, or add the last one. */
export function LimitedActions(
  { notice, waits }: { notice: Notice; waits: LimitedDevices },
): VNode {
  const { link, limit, mac } = waits;
  return (
    <>
      {limit === "rate"
        ? (
          <button
            class="btn"
            type="button"
            onClick={() => openPreview(admitUnknown(link, () => void resolveNotice(notice)))}
          >
            {t("Admit for 1 hour")}
            <span class="vh">{t("on {link}", { link })}</span>
          </button>
        )
        : <a class="btn" href="/admin/dhcp">{t("DHCP")}</a>}
      {mac !== "" && (
        <a class="btn" href={`/admin/devices/add?${new URLSearchParams({ by: "mac", mac })}`}>
          {t("Add {mac}", { mac })}
        </a>
      )}
    </>
  );
}
