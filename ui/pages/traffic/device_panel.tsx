import type { VNode } from "preact";
import type { Request } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { Name } from "../../parts/show/name.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Table } from "../../parts/table/table.tsx";
import type { components } from "../../generated/api.ts";
import { sizeText } from "../../text/format.ts";
import { clock, day } from "../../text/time.ts";
import { countryText } from "../../text/country.ts";
import { t, tc } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

type Insight = components["schemas"]["TrafficDeviceInsight"];
type Destination = Insight["Destinations"][number];
type Connections = components["schemas"]["LiveConnections"];
type Connection = Connections["items"][number];

/** Live connections that are shown. */
const SHOWN = "50";

const DESTINATIONS: readonly Column<Destination>[] = [
  {
    name: "name",
    word: t("Destination"),
    sort: ({ Domain, IP }) => Domain || IP,
    cell: ({ Domain, IP }) => <Name>{IP === "other" ? t("All others") : Domain || IP}</Name>,
  },
  {
    name: "network",
    word: t("Network"),
    soft: true,
    phone: "sub",
    sort: ({ ASNName }) => ASNName,
    cell: ({ ASNName, Country }) => (
      <Name>{[ASNName, Country && countryText(Country)].filter(Boolean).join(", ")}</Name>
    ),
  },
  {
    name: "seen",
    word: t("Last seen"),
    width: "144px",
    soft: true,
    from: "desk",
    phone: "none",
    sort: ({ LastSeen }) => -Date.parse(LastSeen),
    cell: ({ LastSeen }) => `${day(Date.parse(LastSeen))}, ${clock(Date.parse(LastSeen))}`,
  },
  {
    name: "down",
    word: tc("traffic", "Down"),
    width: "112px",
    num: true,
    phone: "side",
    sort: ({ BytesIn }) => -BytesIn,
    cell: ({ BytesIn }) => sizeText(BytesIn),
  },
  {
    name: "up",
    word: tc("traffic", "Up"),
    width: "112px",
    num: true,
    phone: "end",
    sort: ({ BytesOut }) => -BytesOut,
    cell: ({ BytesOut }) => sizeText(BytesOut),
  },
];

const CONNECTIONS: readonly Column<Connection>[] = [
  {
    name: "to",
    word: t("With"),
    cell: ({ name, remote, remotePort }) => (
      <Name>{`${name || remote}${remotePort === null ? "" : `:${remotePort}`}`}</Name>
    ),
  },
  {
    name: "protocol",
    word: t("Protocol"),
    width: "112px",
    soft: true,
    phone: "sub",
    cell: ({ protocol, inbound }) => `${protocol.toUpperCase()}${inbound ? t(", inbound") : ""}`,
  },
  {
    name: "network",
    word: t("Network"),
    soft: true,
    from: "desk",
    phone: "none",
    cell: ({ network }) => <Name>{network}</Name>,
  },
  {
    name: "bytes",
    word: t("Bytes"),
    width: "112px",
    num: true,
    phone: "side",
    cell: ({ bytesIn, bytesOut }) => sizeText(bytesIn + bytesOut),
  },
];

/** With whom a device exchanged traffic, and its live connections. */
export function DevicePanel({ address, title, time, pulse, most = Infinity }: {
  address: string;
  title: string;
  /** The window of traffic, as in a query. */
  time: NonNullable<Request["query"]>;
  pulse: number;
  /** Destinations that are shown. */
  most?: number;
}): VNode {
  const insight = useLoaded<Insight>({
    path: `/traffic_insights/device/${address}`,
    query: time,
  }, [address, JSON.stringify(time), pulse]);
  const live = useLoaded<Connections>({
    path: "/flows",
    query: { device: address, order: "bytes", limit: SHOWN },
  }, [address, pulse]);
  return (
    <>
      <section class="panel bleed" aria-labelledby="destinations">
        <header>
          <h2 id="destinations">
            {rich(t("Destinations of {title}"), { title: <Name>{title}</Name> })}
          </h2>
        </header>
        {insight.body === null
          ? insight.problem === null
            ? <Loading what={t("destinations")} rows={5} />
            : <Fault warning title={t("Not available.")}>{insight.problem.message}</Fault>
          : insight.body.Destinations.length === 0
          ? <p class="pad s quiet">{t("None in this time.")}</p>
          : (
            <Table
              label={t("Destinations")}
              columns={DESTINATIONS}
              rows={insight.body.Destinations.slice(0, most)}
              keyOf={({ IP }) => IP}
              view={`${address} ${JSON.stringify(time)}`}
            />
          )}
        {(insight.body?.Destinations.length ?? 0) > most && (
          <footer>
            <a href={`/admin/traffic?device=${encodeURIComponent(address)}`}>
              {t("All destinations")}
            </a>
          </footer>
        )}
      </section>
      <section class="panel bleed" aria-labelledby="connections">
        <header>
          <h2 id="connections">{t("Live connections")}</h2>
          {live.body !== null && <span class="note">{live.body.total}</span>}
        </header>
        {live.body === null
          ? live.problem === null
            ? <Loading what={t("connections")} rows={3} />
            : <Fault warning title={t("Not available.")}>{live.problem.message}</Fault>
          : live.body.items.length === 0
          ? <p class="pad s quiet">{t("None at the moment.")}</p>
          : (
            <Table
              label={t("Live connections")}
              columns={CONNECTIONS}
              rows={live.body.items}
              keyOf={({ id }) => String(id)}
              view={address}
            />
          )}
      </section>
    </>
  );
}
