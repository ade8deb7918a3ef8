import type { VNode } from "preact";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Meter } from "../../parts/chart/meter.tsx";
import { Name } from "../../parts/show/name.tsx";
import type { ApiProblem } from "../../api/problem.ts";
import type { Devices } from "../../wire.ts";
import { addressesOf, isOwn, type LinkRow, roleText, stateOf } from "../network/interface_rows.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";
import { inSentence } from "../../text/format.ts";

/** The interfaces in use: state, address and devices. `rows` null: not known yet. */
export function LinksPanel(
  { devices, rows: all, problem }: {
    devices: Devices;
    rows: readonly LinkRow[] | null;
    problem: ApiProblem | null;
  },
): VNode {
  const rows = (all ?? [])
    .filter((row) => row.decided !== null && row.decided.Type !== "Other" && !isOwn(row));
  return (
    <section class="panel" aria-labelledby="links">
      <header>
        <h2 id="links">{t("Interfaces")}</h2>
        <a class="s quiet" href="/admin/network">{t("All interfaces")}</a>
      </header>
      {all === null
        ? problem === null
          ? <Loading what={t("links")} rows={3} />
          : <Fault title={t("The interfaces could not be loaded.")}>{problem.message}</Fault>
        : rows.length === 0
        ? (
          <p class="pad s quiet">
            {rich(t("No interface has a role yet. {link} and the LAN interfaces."), {
              link: <a href="/admin/setup">{t("Select the WAN interface")}</a>,
            })}
          </p>
        )
        : (
          <ul class="rows">
            {rows.map((row) => <Line key={row.name} row={row} devices={devices} />)}
          </ul>
        )}
    </section>
  );
}

function Line({ row, devices }: { row: LinkRow; devices: Devices }): VNode {
  const [shape, word] = stateOf(row);
  const there = Object.values(devices).filter((one) => one.DHCPLastInterface === row.name);
  const online = there.filter((one) => one.Online).length;
  const addresses = addressesOf(row.kernel);
  const home = row.decided?.Type !== "Uplink";
  return (
    <li>
      <div class="grow">
        <span class="state">
          <span class={shape} aria-hidden="true" />
          <b>
            <Name>{row.name}</Name>
          </b>
        </span>
        <p>
          {roleText(row)} · {inSentence(word)}
          {!home && ` · ${addresses.join(", ") || t("no address")}`}
        </p>
      </div>
      {home && there.length > 0 && (
        <span class="beside">
          <span>
            {t("{online} of {there} online", { online, there: there.length })}
          </span>
          <Meter
            value={online}
            of={there.length}
            label={t("{online} of {there} devices online on {name}", {
              online,
              there: there.length,
              name: row.name,
            })}
          />
        </span>
      )}
    </li>
  );
}
