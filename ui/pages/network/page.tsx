import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Fault } from "../../parts/fault.tsx";
import { Loading } from "../../parts/loading.tsx";
import { Name } from "../../parts/name.tsx";
import { changesSeen, network, notices } from "../../store.ts";
import { useTitle } from "../page_title.ts";
import { holders } from "../rules/places.ts";
import { useLoaded } from "../use_loaded.ts";
import { LinkForm } from "./link_form.tsx";
import { addressesOf, isOwn, type LinkRow, linkRows, roleWords, stateOf } from "./links.ts";
import { foreignServer, ServeDhcp } from "./serve_dhcp.tsx";
import type { KernelLink, Link, Neighbour } from "./wire.ts";

/** Links with what they are for and what the kernel has, neighbours, and others’ chains. */
export default function NetworkPage(): VNode {
  useTitle("Network");
  const when = [changesSeen.value, network.value];
  const links = useLoaded<readonly Link[]>({ path: "/interfacesConfiguration" }, when);
  const kernel = useLoaded<readonly KernelLink[]>({ path: "/ip/addr" }, when);
  const open = useSignal<LinkRow | null>(null);
  return (
    <>
      <div class="head">
        <div>
          <h1>Network</h1>
          <p>Links of this router, as they were decided and as the kernel has them</p>
        </div>
      </div>
      <div class="stack">
        <section class="panel bleed" aria-labelledby="links">
          <header>
            <h2 id="links">Links</h2>
          </header>
          {kernel.problem !== null && (
            <Fault heed title="What the kernel has is not known.">{kernel.problem.message}</Fault>
          )}
          {links.body === null
            ? links.problem === null
              ? <Loading what="links" rows={3} />
              : <Fault title="The links could not be loaded.">{links.problem.message}</Fault>
            : (
              <Links
                rows={linkRows(links.body, kernel.body ?? [])}
                known={kernel.body !== null}
                onOpen={(row) => open.value = row}
              />
            )}
        </section>
        <OtherServers />
        <Neighbours when={when} />
        <Foreign />
      </div>
      {open.value !== null && (
        <LinkForm
          name={open.value.name}
          link={open.value.decided}
          onClose={() => open.value = null}
          onDone={() => {
            links.reload();
            kernel.reload();
          }}
        />
      )}
    </>
  );
}

function Links(
  { rows, known, onOpen }: {
    rows: readonly LinkRow[];
    /** Whether the kernel answered. */
    known: boolean;
    onOpen: (row: LinkRow) => void;
  },
): VNode {
  return (
    <table class="tbl links" role="table" aria-label="Links">
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader">Link</th>
          <th scope="col" role="columnheader">Used as</th>
          <th scope="col" role="columnheader">Address now</th>
          <th scope="col" role="columnheader">Card</th>
          <th scope="col" role="columnheader" class="num">State</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => {
          const [shape, word] = known ? stateOf(row) : ["dot off", "not known"];
          const addresses = addressesOf(row.kernel);
          return (
            <tr key={row.name} role="row" class={row.decided === null && !isOwn(row) ? "off" : ""}>
              <td role="cell" class="c-name">
                <div class="who">
                  <span class={shape} aria-hidden="true" />
                  {isOwn(row) ? <b>{row.name}</b> : (
                    <button
                      class="link"
                      type="button"
                      onClick={() => onOpen(row)}
                    >
                      <Name>{row.name}</Name>
                    </button>
                  )}
                </div>
              </td>
              <td role="cell" class="soft">{roleWords(row)}</td>
              <td role="cell">
                {addresses.length > 0
                  ? addresses.slice(0, 2).join(", ") +
                    (addresses.length > 2 ? ` and ${addresses.length - 2} more` : "")
                  : <span class="quiet">{known ? "none" : "not known"}</span>}
              </td>
              <td role="cell" class="mono soft">{row.kernel?.address ?? "–"}</td>
              <td role="cell" class="num">{word}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Links at home where another DHCP server answers, so that nothing is leased there. */
function OtherServers(): VNode | null {
  const found = notices.value.flatMap((notice) => foreignServer(notice) ?? []);
  if (found.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="servers">
      <header>
        <h2 id="servers">Other DHCP servers</h2>
        <span class="note">no addresses are leased where one answers</span>
      </header>
      <ul class="rows todo">
        {found.map(({ link, server }) => (
          <li key={link}>
            <div class="grow">
              <b>
                {server} answers on <Name>{link}</Name>
              </b>
              <p>Devices there get their address from it, and this router does not know them</p>
            </div>
            <div class="row wrap">
              <ServeDhcp link={link} server={server} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Neighbours that are drawn at once. */
const SHOWN = 50;

function Neighbours({ when }: { when: readonly unknown[] }): VNode {
  const arp = useLoaded<readonly Neighbour[]>({ path: "/arp" }, when);
  const shown = useSignal(SHOWN);
  const list = arp.body ?? [];
  return (
    <section class="panel bleed" aria-labelledby="neighbours">
      <header>
        <h2 id="neighbours">Neighbours</h2>
        <span class="note">cards that answer for an address</span>
      </header>
      {arp.problem !== null
        ? <Fault heed title="Neighbours are not known.">{arp.problem.message}</Fault>
        : arp.body === null
        ? <Loading what="neighbours" rows={3} />
        : list.length === 0
        ? <p class="pad s quiet">Nobody has answered yet.</p>
        : (
          <table class="tbl links" role="table" aria-label="Neighbours">
            <thead role="rowgroup">
              <tr role="row">
                <th scope="col" role="columnheader">Address</th>
                <th scope="col" role="columnheader">Device</th>
                <th scope="col" role="columnheader">Card</th>
                <th scope="col" role="columnheader">Link</th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              {list.slice(0, shown.value).map((one) => (
                <tr key={`${one.Device} ${one.IP}`} role="row">
                  <td role="cell" class="c-name">{one.IP}</td>
                  <td role="cell">
                    {holders.value.has(one.IP)
                      ? <Name>{holders.value.get(one.IP) ?? ""}</Name>
                      : <span class="quiet">no device</span>}
                  </td>
                  <td role="cell" class="mono soft">{one.MAC}</td>
                  <td role="cell" class="soft">
                    <Name>{one.Device}</Name>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      {list.length > shown.value && (
        <footer>
          <button class="btn small" type="button" onClick={() => shown.value += SHOWN}>
            {list.length - shown.value} more
          </button>
        </footer>
      )}
    </section>
  );
}

function Foreign(): VNode | null {
  const chains = network.value?.foreign ?? [];
  if (chains.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="foreign">
      <header>
        <h2 id="foreign">Chains of others</h2>
        <span class="note">they may drop or translate what Sluice lets through</span>
      </header>
      <ul class="rows">
        {chains.map((one) => (
          <li key={`${one.family} ${one.table} ${one.chain}`}>
            <div class="grow">
              <b>
                <Name>{`${one.family} ${one.table} ${one.chain}`}</Name>
              </b>
              <p>
                {one.type}, {one.hook}, priority {one.priority}
              </p>
            </div>
            <span class="s quiet">
              {one.rules} {one.rules === 1 ? "rule" : "rules"}
              {one.policy === "drop" && ", drops the rest"}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
