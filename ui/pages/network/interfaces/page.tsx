import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { Fault } from "../../../parts/form/fault.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { Name } from "../../../parts/show/name.tsx";
import type { Column } from "../../../parts/table/column.ts";
import { Table } from "../../../parts/table/table.tsx";
import { changeEvents } from "../../../state/store.ts";
import { PageHead, type PageProps } from "../../../parts/show/page_head.tsx";
import { type Loaded, useLoaded } from "../../../parts/load/use_loaded.ts";
import { AccountForm } from "./pppoe_form.tsx";
import { AddressesForm } from "./ip_form.tsx";
import { CardForm } from "./mac_form.tsx";
import { Trunk } from "./trunk.tsx";
import type { Account, Link } from "./wire.ts";
import { extraText, useText } from "./text.ts";
import "../../../styles/pages/uplink.css";

const NONE: readonly Account[] = [];

/** Extra settings of interfaces: MAC address, VLAN trunk, additional IPs, PPPoE. */
export default function LinksPage({ title }: PageProps): VNode {
  const links = useLoaded<readonly Link[]>({ path: "/interfacesConfiguration" }, [
    changeEvents.value,
  ]);
  const accounts = useLoaded<{ readonly PPPs: readonly Account[] }>({ path: "/uplink/ppp" }, [
    changeEvents.value,
  ]);
  const open = useSignal<string | null>(null);
  const accountOf = (name: string) => accounts.body?.PPPs.find(({ Iface }) => Iface === name);
  const done = () => {
    open.value = null;
    links.reload();
    accounts.reload();
  };
  const shown = links.body?.find(({ Name }) => Name === open.value) ?? null;
  return (
    <>
      <PageHead
        title={title}
        note={
          <>
            MAC addresses, VLANs, additional IPs and PPPoE. Set the role of an interface under{" "}
            <a href="/admin/network">Interfaces</a>
          </>
        }
      />
      <List
        links={links}
        accounts={accounts.body?.PPPs ?? NONE}
        onOpen={(name) => open.value = name}
      />
      {accounts.problem !== null && (
        <Fault warning title="The PPPoE accounts could not be loaded.">
          {accounts.problem.message}
        </Fault>
      )}
      {shown !== null && (
        <Dialog
          kind="drawer"
          title={shown.Name}
          note={useText(shown)}
          onClose={() => open.value = null}
        >
          <div class="body stack links-forms" tabIndex={-1}>
            {shown.Type === "Downlink" && <Trunk link={shown} onDone={done} />}
            {shown.Type === "Uplink" && accounts.body !== null && (
              <AccountForm
                link={shown}
                account={accountOf(shown.Name) ?? null}
                onDone={done}
              />
            )}
            {shown.Type !== "AP" && <AddressesForm link={shown} etag={links.etag} onDone={done} />}
            {shown.Type !== "AP" && <CardForm link={shown} etag={links.etag} onDone={done} />}
            {shown.Type === "AP" && <p class="s quiet">Wi-Fi is configured separately.</p>}
          </div>
        </Dialog>
      )}
    </>
  );
}

function columnsOf(
  accounts: readonly Account[],
  onOpen: (name: string) => void,
): readonly Column<Link>[] {
  const accountOf = (name: string) => accounts.find(({ Iface }) => Iface === name);
  const decided = (link: Link): string => extraText(link, accountOf(link.Name));
  return [
    {
      name: "name",
      word: "Interface",
      sort: (link) => link.Name,
      cell: (link) => (
        <b>
          <Name>{link.Name}</Name>
        </b>
      ),
    },
    {
      name: "use",
      word: "Role",
      soft: true,
      phone: "sub",
      sort: useText,
      cell: useText,
    },
    {
      name: "decided",
      word: "Extra settings",
      soft: true,
      wraps: true,
      width: "minmax(0, 2fr)",
      sort: decided,
      cell: (link) => <Name>{decided(link) || "None"}</Name>,
    },
    {
      name: "settings",
      word: "Settings",
      width: "112px",
      num: true,
      phone: "end",
      cell: (link) => (
        <button
          class="btn small"
          type="button"
          data-row
          onClick={() => onOpen(link.Name)}
        >
          Settings<span class="vh">of {link.Name}</span>
        </button>
      ),
    },
  ];
}

function List(
  { links, accounts, onOpen }: {
    links: Loaded<readonly Link[]>;
    accounts: readonly Account[];
    onOpen: (name: string) => void;
  },
): VNode {
  const columns = useMemo(() => columnsOf(accounts, onOpen), [accounts]);
  return (
    <section class="panel bleed" aria-labelledby="links">
      <header>
        <h2 id="links">Interfaces</h2>
      </header>
      {links.body === null
        ? links.problem === null
          ? <Loading what="interfaces" rows={3} />
          : <Fault title="The interfaces could not be loaded.">{links.problem.message}</Fault>
        : links.body.length === 0
        ? <p class="pad s quiet">No interfaces configured yet.</p>
        : (
          <Table
            label="Interfaces"
            columns={columns}
            rows={links.body}
            keyOf={({ Name }) => Name}
            remember="sluice.links.sort"
          />
        )}
    </section>
  );
}
