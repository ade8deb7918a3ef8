import type { VNode } from "preact";
import { openApproval } from "../../actions/approve.ts";
import { PolicyChips } from "../../parts/show/chips.tsx";
import { Name, Names } from "../../parts/show/name.tsx";
import { StateMark } from "../../parts/show/state_mark.tsx";
import type { Column } from "../../parts/table/column.ts";
import type { Device } from "../../wire.ts";
import { policyChips } from "../../text/policies.ts";
import { isPendingApproval, nameOf, stateOf } from "../../text/format.ts";
import { TypeIcon, Vendor, vendorOf } from "./classifications.tsx";
import { deviceHref, lastSeen, seenText } from "./last_seen.ts";

export type Entry = readonly [identity: string, device: Device];

/** The columns of the list of devices: a line on a desk, two lines on a phone. */
export const COLUMNS: readonly Column<Entry>[] = [
  {
    name: "name",
    word: "Name",
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
    word: "Access",
    width: "236px",
    phone: "sub",
    sort: ([, device]) => policyChips(device).map(({ text }) => text).join(" "),
    cell: ([identity, device]) =>
      isPendingApproval(device)
        ? (
          <button class="btn small" type="button" onClick={() => openApproval([identity])}>
            Approve…<span class="vh">{nameOf(identity, device)}</span>
          </button>
        )
        : <PolicyChips device={device} />,
  },
  {
    name: "groups",
    word: "Groups",
    width: "148px",
    from: "desk",
    phone: "none",
    soft: true,
    sort: ([, { Groups }]) => Groups.join(" "),
    cell: ([, device]) => <Groups device={device} />,
  },
  {
    name: "address",
    word: "IP address",
    width: "128px",
    phone: "under",
    sort: ([, { RecentIP }]) => RecentIP,
    cell: ([, { RecentIP }]) => RecentIP || <span class="quiet">unknown</span>,
  },
  {
    name: "vendor",
    word: "Vendor",
    width: "150px",
    from: "large",
    phone: "none",
    soft: true,
    sort: ([, device]) => vendorOf(device),
    cell: ([, device]) => <Vendor device={device} />,
  },
  {
    name: "link",
    word: "Interface",
    width: "96px",
    from: "large",
    phone: "none",
    soft: true,
    sort: ([, { DHCPLastInterface }]) => DHCPLastInterface,
    cell: ([, { DHCPLastInterface: link }]) =>
      link ? <Name>{link}</Name> : <span class="quiet">–</span>,
  },
  {
    name: "seen",
    word: "Last seen",
    width: "76px",
    num: true,
    phone: "side",
    // The latest comes first.
    sort: ([, device]) => -lastSeen(device),
    cell: ([, device]) =>
      device.Online ? <span class="quiet">now</span> : seenText(device, Date.now()),
  },
];

/** The groups of a device. */
function Groups({ device: { Groups } }: { device: Device }): VNode {
  return Groups.length === 0 ? <span class="quiet">none</span> : <Names>{Groups}</Names>;
}
