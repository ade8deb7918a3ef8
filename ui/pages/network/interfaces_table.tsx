import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Name } from "../../parts/show/name.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Table } from "../../parts/table/table.tsx";
import { addressesOf, isOwn, type LinkRow, roleText, stateOf } from "./interface_rows.ts";
import { extraText } from "./settings_text.ts";
import type { Account } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Addresses that a row names; the others are counted. */
const NAMED = 2;

/** Interfaces, configured and live. */
export function LinksTable(
  { rows, accounts, known, onOpen }: {
    rows: readonly LinkRow[];
    accounts: readonly Account[];
    /** Whether the kernel answered. */
    known: boolean;
    onOpen: (row: LinkRow) => void;
  },
): VNode {
  const columns = useMemo(() => columnsOf({ accounts, known, onOpen }), [known, accounts]);
  return (
    <Table
      label={t("Interfaces")}
      columns={columns}
      rows={rows}
      keyOf={({ name }) => name}
      remember="sluice.network.sort"
      tone={(row) => row.decided === null && !isOwn(row) ? "off" : ""}
    />
  );
}

function columnsOf(
  { accounts, known, onOpen }: {
    accounts: readonly Account[];
    known: boolean;
    onOpen: (row: LinkRow) => void;
  },
): readonly Column<LinkRow>[] {
  const extra = ({ name, decided }: LinkRow): string =>
    decided === null ? "" : extraText(decided, accounts.find(({ Iface }) => Iface === name));
  const state = (row: LinkRow) => known ? stateOf(row) : ["dot off", "unknown"] as const;
  return [
    {
      name: "name",
      word: t("Interface"),
      width: "minmax(0, .8fr)",
      sort: ({ name }) => name,
      cell: (row) => (
        <div class="who">
          <span class={state(row)[0]} aria-hidden="true" />
          {isOwn(row)
            ? <b>{row.name}</b>
            : (
              <button class="link" type="button" data-row onClick={() => onOpen(row)}>
                <Name>{row.name}</Name>
              </button>
            )}
        </div>
      ),
    },
    {
      name: "use",
      word: t("Role"),
      width: "minmax(0, .8fr)",
      soft: true,
      phone: "sub",
      sort: roleText,
      cell: roleText,
    },
    {
      name: "address",
      word: t("IP address"),
      width: "minmax(0, 1.4fr)",
      wraps: true,
      sort: ({ kernel }) => addressesOf(kernel)[0] ?? "",
      cell: ({ kernel }) =>
        addressText(addressesOf(kernel)) ??
          <span class="quiet">{known ? t("none") : t("unknown")}</span>,
    },
    {
      name: "settings",
      word: t("Settings"),
      soft: true,
      wraps: true,
      width: "minmax(0, 1.2fr)",
      sort: extra,
      cell: (row) => extra(row) || <span class="quiet">–</span>,
    },
    {
      name: "card",
      word: t("MAC address"),
      soft: true,
      width: "152px",
      from: "large",
      sort: ({ kernel }) => kernel?.address ?? "",
      cell: ({ kernel }) => <span class="mono">{kernel?.address ?? "–"}</span>,
    },
    {
      name: "state",
      word: t("State"),
      width: "104px",
      num: true,
      phone: "side",
      sort: (row) => state(row)[1],
      cell: (row) => state(row)[1],
    },
  ];
}

function addressText(all: readonly string[]): string | null {
  if (all.length === 0) return null;
  const more = all.length - NAMED;
  return all.slice(0, NAMED).join(", ") + (more > 0 ? t(" and {more} more", { more }) : "");
}
