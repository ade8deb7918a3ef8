import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name } from "../../parts/show/name.tsx";
import { changeEvents, network, notices } from "../../state/store.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { InterfaceForm } from "./interface_form.tsx";
import { type LinkRow, linkRows } from "./interface_rows.ts";
import { LinksTable } from "./interfaces_table.tsx";
import { Neighbours } from "./arp_table.tsx";
import { foreignServer, ServeDhcp } from "./serve_dhcp.tsx";
import type { Account, KernelLink, Link } from "./wire.ts";
import { t, tn } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";
import "../../styles/pages/uplink.css";

const NONE: readonly Account[] = [];

/** All of the interfaces, the ARP table, and other firewall rules on this host. */
export default function NetworkPage({ title }: PageProps): VNode {
  const when = [changeEvents.value, network.value];
  const links = useLoaded<readonly Link[]>({ path: "/interfacesConfiguration" }, when);
  const kernel = useLoaded<readonly KernelLink[]>({ path: "/ip/addr" }, when);
  const accounts = useLoaded<{ readonly PPPs: readonly Account[] }>({ path: "/uplink/ppp" }, when);
  const open = useSignal<LinkRow | null>(null);
  const known = accounts.body?.PPPs ?? NONE;
  return (
    <>
      <PageHead
        title={title}
        note={t("Roles, IP addresses, VLANs, PPPoE and MAC addresses")}
      />
      <div class="stack">
        <section class="panel bleed" aria-labelledby="links">
          <header>
            <h2 id="links">{t("Configured and live")}</h2>
          </header>
          {kernel.problem !== null && (
            <Fault warning title={t("Live state unavailable.")}>{kernel.problem.message}</Fault>
          )}
          {accounts.problem !== null && (
            <Fault warning title={t("The PPPoE accounts could not be loaded.")}>
              {accounts.problem.message}
            </Fault>
          )}
          {links.body === null
            ? links.problem === null
              ? <Loading what={t("interfaces")} rows={3} />
              : (
                <Fault title={t("The interfaces could not be loaded.")}>
                  {links.problem.message}
                </Fault>
              )
            : (
              <LinksTable
                rows={linkRows(links.body, kernel.body ?? [])}
                accounts={known}
                known={kernel.body !== null}
                onOpen={(row) => open.value = row}
              />
            )}
        </section>
        <OtherServers />
        <Neighbours when={when} />
        <Foreign />
      </div>
      {open.value !== null && accounts.body !== null && (
        <InterfaceForm
          name={open.value.name}
          link={open.value.decided}
          account={known.find(({ Iface }) => Iface === open.value?.name) ?? null}
          etag={links.etag}
          onClose={() => open.value = null}
          onDone={() => {
            links.reload();
            kernel.reload();
            accounts.reload();
          }}
        />
      )}
    </>
  );
}

/** LAN interfaces where DHCP is off because another DHCP server answers. */
function OtherServers(): VNode | null {
  const found = notices.value.flatMap((notice) => foreignServer(notice) ?? []);
  if (found.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="servers">
      <header>
        <h2 id="servers">{t("Other DHCP servers")}</h2>
        <span class="note">{t("DHCP is off where another server responds")}</span>
      </header>
      <ul class="rows todo">
        {found.map(({ link, server }) => (
          <li key={link}>
            <div class="grow">
              <b>
                {rich(t("{server} answers on {link}"), { server, link: <Name>{link}</Name> })}
              </b>
              <p>
                {t("Devices there get their IP address from it and are unknown to this router")}
              </p>
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

function Foreign(): VNode | null {
  const chains = network.value?.foreign ?? [];
  if (chains.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="foreign">
      <header>
        <h2 id="foreign">{t("Other firewall rules on this host")}</h2>
        <span class="note">{t("they may drop or translate traffic that Sluice allows")}</span>
      </header>
      <ul class="rows">
        {chains.map((one) => (
          <li key={`${one.family} ${one.table} ${one.chain}`}>
            <div class="grow">
              <b>
                <Name>{`${one.family} ${one.table} ${one.chain}`}</Name>
              </b>
              <p>
                {t("{type}, {hook}, priority {priority}", {
                  type: one.type,
                  hook: one.hook,
                  priority: one.priority,
                })}
              </p>
            </div>
            <span class="s quiet">
              {tn("{count} rule", "{count} rules", one.rules)}
              {one.policy === "drop" && t(", default drop")}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
