import type { VNode } from "preact";
import { openApproval } from "../../actions/approve.ts";
import { PolicyChips } from "../../parts/show/chips.tsx";
import { Name, Names } from "../../parts/show/name.tsx";
import { StateMark } from "../../parts/show/state_mark.tsx";
import type { Column } from "../../parts/table/column.ts";
import type { Device } from "../../wire.ts";
import { policyChips } from "../../text/policies.ts";
import { isPendingApproval, nameOf, sizeText, stateOf } from "../../text/format.ts";
import { TypeIcon, Vendor, vendorOf } from "./classifications.tsx";
import { signalOf, trafficOf } from "./usage.ts";
import { deviceHref, lastSeen, seenText } from "./last_seen.ts";
import { t } from "../../text/language.ts";

export type Entry = readonly [identity: string, device: Device];

/** The columns of the list of devices: a line on a desk, two lines on a phone. */
export const COLUMNS: readonly Column<Entry>[] = [
  {
    name: "name",
    word: t("Name"),
    width: "minmax(180px, 1fr)",
    sort: (entry) => nameOf(...entry),
    cell: ([identity, device]) => (
      <div class="who">
        <StateMark state={stateOf(device)} />
        <TypeIcon device={device} />
        <a href={deviceHref(identity)} data-row>
          <Name>{nameOf(identity, device)}</Name>
        </a>
      </div>
    ),
  },
  {
    name: "access",
    word: t("Access"),
    width: "236px",
    phone: "sub",
    sort: ([, device]) => policyChips(device).map(({ text }) => text).join(" "),
    cell: ([identity, device]) =>
      isPendingApproval(device)
        ? (
          <button class="btn small" type="button" onClick={() => openApproval([identity])}>
            {t("Approve…")}
            <span class="vh">{nameOf(identity, device)}</span>
          </button>
        )
        : <PolicyChips device={device} />,
  },
  {
    name: "groups",
    word: t("Groups"),
    width: "minmax(0, 148px)",
    from: "desk",
    phone: "none",
    soft: true,
    sort: ([, { Groups }]) => Groups.join(" "),
    cell: ([, device]) => <Groups device={device} />,
  },
  {
    name: "address",
    word: t("IP address"),
    width: "128px",
    phone: "under",
    sort: ([, { RecentIP }]) => addressOrder(RecentIP),
    cell: ([, { RecentIP }]) => RecentIP || <span class="quiet">{t("unknown")}</span>,
  },
  {
    name: "vendor",
    word: t("Vendor"),
    width: "minmax(0, 150px)",
    from: "large",
    phone: "none",
    soft: true,
    sort: ([, device]) => vendorOf(device),
    cell: ([, device]) => <Vendor device={device} />,
  },
  {
    name: "link",
    word: t("Interface"),
    width: "minmax(0, 96px)",
    from: "large",
    phone: "none",
    soft: true,
    sort: ([, { DHCPLastInterface }]) => DHCPLastInterface,
    cell: ([, { DHCPLastInterface: link }]) =>
      link ? <Name>{link}</Name> : <span class="quiet">–</span>,
  },
  {
    name: "mac",
    word: t("MAC address"),
    width: "minmax(0, 144px)",
    from: "large",
    phone: "none",
    soft: true,
    sort: ([, { MAC }]) => MAC,
    cell: ([, { MAC }]) => <span class="mono">{MAC}</span>,
  },
  {
    name: "down",
    word: t("Down, 24 h"),
    width: "minmax(0, 92px)",
    from: "large",
    phone: "none",
    num: true,
    sort: ([, device]) => -(trafficOf(device)?.down ?? 0),
    cell: ([, device]) => bytesText(trafficOf(device)?.down),
  },
  {
    name: "up",
    word: t("Up, 24 h"),
    width: "minmax(0, 92px)",
    from: "large",
    phone: "none",
    num: true,
    sort: ([, device]) => -(trafficOf(device)?.up ?? 0),
    cell: ([, device]) => bytesText(trafficOf(device)?.up),
  },
  {
    name: "signal",
    word: t("Signal"),
    width: "minmax(0, 84px)",
    from: "large",
    phone: "none",
    num: true,
    // The strongest comes first, what has none last.
    sort: ([, device]) => signalOf(device) === 0 ? 1000 : -signalOf(device),
    cell: ([, device]) =>
      signalOf(device) === 0 ? "" : t("{signal} dBm", { signal: signalOf(device) }),
  },
  {
    name: "seen",
    word: t("Last seen"),
    width: "84px",
    num: true,
    phone: "side",
    // The latest comes first.
    sort: ([, device]) => -lastSeen(device),
    cell: ([, device]) =>
      device.Online ? <span class="quiet">{t("now")}</span> : seenText(device, Date.now()),
  },
];

/** An IPv4 address as a number, which sorts faster than text; "" for none. */
function addressOrder(address: string): number | "" {
  return address === ""
    ? ""
    : address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function bytesText(bytes: number | undefined): string {
  return bytes === undefined ? "" : sizeText(bytes);
}

/** The groups of a device. */
function Groups({ device: { Groups } }: { device: Device }): VNode {
  return Groups.length === 0 ? <span class="quiet">{t("none")}</span> : <Names>{Groups}</Names>;
}
