import type { VNode } from "preact";
import { Meter } from "../../parts/chart/meter.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Name } from "../../parts/show/name.tsx";
import type { Devices } from "../../wire.ts";
import { nameOf, sizeText } from "../../text/format.ts";
import { deviceHref } from "../devices/last_seen.ts";
import { countryText } from "../../text/country.ts";
import { type Overview, type Talker, topCountries, topDevices, topNetworks } from "./rates.ts";
import { t } from "../../text/language.ts";

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 60_000;
const DAY = "1440";
/** Rows of each list. */
const SHOWN = 5;

/** Devices with the most traffic of a day, and the networks that they exchanged it with. */
export function TalkersPanel({ devices }: { devices: Devices }): VNode {
  const pulse = usePulse(POLL_INTERVAL_MS);
  const overview = useLoaded<Overview>(
    { path: "/traffic_insights/overview", query: { minutes: DAY } },
    [pulse],
  );
  const byAddress = new Map(Object.entries(devices).map(([id, one]) => [one.RecentIP, id]));
  const { body, problem } = overview;
  const used = body === null ? [] : topDevices(body, SHOWN);
  return (
    <section class="panel" aria-labelledby="talkers">
      <header>
        <h2 id="talkers">{t("Most traffic")}</h2>
        <a class="s quiet" href="/admin/traffic">{t("Last 24 hours")}</a>
      </header>
      {body === null
        ? problem === null
          ? <Loading what={t("traffic")} rows={3} />
          : <Fault warning title={t("Traffic is not available.")}>{problem.message}</Fault>
        : used.length === 0
        ? <p class="pad s quiet">{t("No traffic with the Internet yet.")}</p>
        : (
          <>
            <Rows
              label={t("Devices")}
              talkers={used}
              title={({ name }) => {
                const id = byAddress.get(name);
                return id === undefined ? <Name>{name}</Name> : (
                  <a href={deviceHref(id)}>
                    <Name>{nameOf(id, devices[id])}</Name>
                  </a>
                );
              }}
            />
            <Rows
              label={t("Countries")}
              talkers={topCountries(body, SHOWN)}
              title={({ name }) => <Name>{countryText(name)}</Name>}
            />
            <Rows
              label={t("Networks")}
              talkers={topNetworks(body, SHOWN)}
              title={({ name }) => <Name>{name}</Name>}
            />
          </>
        )}
    </section>
  );
}

function Rows(
  { label, talkers, title }: {
    label: string;
    talkers: readonly Talker[];
    title: (talker: Talker) => VNode;
  },
): VNode {
  const most = Math.max(...talkers.map(({ down, up }) => down + up), 1);
  return (
    <ul class="rows dense" aria-label={label}>
      {talkers.map((talker) => (
        <li key={talker.name}>
          <div class="grow trunc">{title(talker)}</div>
          <span class="beside">
            <span>{sizeText(talker.down + talker.up)}</span>
            <Meter
              value={talker.down + talker.up}
              of={most}
              label={t("{down} down, {up} up", {
                down: sizeText(talker.down),
                up: sizeText(talker.up),
              })}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}
