import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Meter } from "../../parts/chart/meter.tsx";
import { changeEvents, devices } from "../../state/store.ts";
import { numberWords } from "../../text/words.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { type Loaded, useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Leases } from "./leases.tsx";
import { Renumber } from "./subnets_form.tsx";
import { OpenLinksPanel } from "./open_links.tsx";
import type { Items, Lease, OpenLinks, PoolUse, Subnets } from "./wire.ts";
import { lastsWords } from "./words.ts";

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
      <PageHead title={title} note="DHCP pools and leases">
        <button
          class="btn"
          type="button"
          disabled={subnets.body === null}
          onClick={() => editing.value = true}
        >
          Edit subnets
        </button>
      </PageHead>
      <div class="stack">
        <Pools pools={pools} lasts={subnets.body?.LeaseTime} />
        <OpenLinksPanel open={open} />
        <section class="panel bleed" aria-labelledby="leases">
          <header>
            <h2 id="leases">Leases</h2>
          </header>
          {leases.problem !== null && (
            <Fault warning title="The leases could not be loaded.">{leases.problem.message}</Fault>
          )}
          {leases.body === null
            ? leases.problem === null && <Loading what="leases" rows={3} />
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
        <h2 id="pools">Pools</h2>
        {lasts !== undefined && <span class="note">lease time {lastsWords(lasts)}</span>}
      </header>
      {pools.body === null
        ? pools.problem === null
          ? <Loading what="pools" rows={1} />
          : <Fault title="The pools could not be loaded.">{pools.problem.message}</Fault>
        : (
          <ul class="rows">
            {pools.body.items.map(({ net, size, used }) => (
              <li key={net}>
                <div class="grow">
                  <b>{net}</b>
                  <p class={used >= size ? "warning-t" : ""}>
                    {used >= size
                      ? "Full: new devices get no address here"
                      : `${numberWords(size - used)} free`}
                  </p>
                </div>
                <span class="beside">
                  <Meter value={used} of={size} label={`${used} of ${size} in use`} />
                  {numberWords(used)} of {numberWords(size)}
                </span>
              </li>
            ))}
          </ul>
        )}
    </section>
  );
}
