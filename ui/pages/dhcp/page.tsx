import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Meter } from "../../parts/chart/meter.tsx";
import { changeEvents, devices } from "../../state/store.ts";
import { numberText } from "../../text/format.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { type Loaded, useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Leases } from "./leases.tsx";
import { Renumber } from "./subnets_form.tsx";
import type { Items, Lease, OpenLinks, PoolUse, Subnets } from "./wire.ts";
import { lastsText, momentText } from "./text.ts";
import { openPreview } from "../../actions/action.ts";
import { limitUnknown } from "./unknown_devices.tsx";
import { Name } from "../../parts/show/name.tsx";
import { t } from "../../text/language.ts";

/** Milliseconds between two loads of the leases. */
const LOOK_EVERY = 60_000;

/** DHCP pools with their use, and the leases. */
export default function AddressesPage({ title }: PageProps): VNode {
  const { query, route } = useLocation();
  const when = [changeEvents.value, devices.value, usePulse(LOOK_EVERY)];
  const subnets = useLoaded<Subnets>({ path: "/subnetConfig" }, [changeEvents.value]);
  const pools = useLoaded<Items<PoolUse>>({ path: "/dhcp/pools" }, when);
  const leases = useLoaded<Items<Lease>>({ path: "/dhcp/leases" }, when);
  const open = useLoaded<OpenLinks>({ path: "/dhcp/admissions" }, when);
  const editing = useSignal(false);
  return (
    <>
      <PageHead title={title} note={t("DHCP pools and leases")}>
        <button
          class="btn"
          type="button"
          disabled={subnets.body === null}
          onClick={() => editing.value = true}
        >
          {t("Edit subnets")}
        </button>
      </PageHead>
      <div class="stack">
        <Pools pools={pools} lasts={subnets.body?.LeaseTime} />
        <OpenLinksPanel open={open} />
        <section class="panel bleed" aria-labelledby="leases">
          <header>
            <h2 id="leases">{t("Leases")}</h2>
          </header>
          {leases.problem !== null && (
            <Fault warning title={t("The leases could not be loaded.")}>
              {leases.problem.message}
            </Fault>
          )}
          {leases.body === null
            ? leases.problem === null && <Loading what={t("leases")} rows={3} />
            : (
              <Leases
                leases={leases.body.items}
                text={query["q"] ?? ""}
                now={Date.now()}
                onText={(q) =>
                  route(
                    `/admin/dhcp${q === "" ? "" : `?${new URLSearchParams({ q })}`}`,
                    true,
                  )}
              />
            )}
        </section>
      </div>
      {editing.value && subnets.body !== null && (
        <Renumber
          now={subnets.body}
          etag={subnets.etag}
          onReload={subnets.reload}
          onClose={() => editing.value = false}
          onDone={() => {
            subnets.reload();
            pools.reload();
            leases.reload();
          }}
        />
      )}
    </>
  );
}

function Pools(
  { pools, lasts }: { pools: Loaded<Items<PoolUse>>; lasts: string | undefined },
): VNode {
  return (
    <section class="panel" aria-labelledby="pools">
      <header>
        <h2 id="pools">{t("Pools")}</h2>
        {lasts !== undefined && (
          <span class="note">{t("lease time {lasts}", { lasts: lastsText(lasts) })}</span>
        )}
      </header>
      {pools.body === null
        ? pools.problem === null
          ? <Loading what={t("pools")} rows={1} />
          : <Fault title={t("The pools could not be loaded.")}>{pools.problem.message}</Fault>
        : (
          <ul class="rows">
            {pools.body.items.map(({ net, size, used }) => (
              <li key={net}>
                <div class="grow">
                  <b>{net}</b>
                  <p class={used >= size ? "warning-t" : ""}>
                    {used >= size
                      ? t("Full: new devices get no address here")
                      : t("{size} free", { size: numberText(size - used) })}
                  </p>
                </div>
                <span class="beside">
                  <Meter
                    value={used}
                    of={size}
                    label={t("{used} of {size} in use", { used, size })}
                  />
                  {t("{used} of {size}", { used: numberText(used), size: numberText(size) })}
                </span>
              </li>
            ))}
          </ul>
        )}
    </section>
  );
}

/** Interfaces that admit unknown devices without limit; nothing where there is none. */
function OpenLinksPanel({ open }: { open: Loaded<OpenLinks> }): VNode | null {
  const links = open.body?.Open ?? [];
  if (links.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="open-links">
      <header>
        <h2 id="open-links">{t("Open to unknown devices")}</h2>
      </header>
      <ul class="rows">
        {links.map(({ Interface: Link, Until }) => (
          <li key={Link}>
            <div class="grow">
              <b>
                <Name>{Link}</Name>
              </b>
              <p>{t("until {moment}", { moment: momentText(Until * 1000, Date.now()) })}</p>
            </div>
            <button
              class="btn small"
              type="button"
              onClick={() => openPreview(limitUnknown(Link, open.reload))}
            >
              {t("End now")}
              <span class="vh">{t("on {link}", { link: Link })}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
