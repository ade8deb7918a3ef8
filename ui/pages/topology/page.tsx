import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Fault } from "../../parts/form/fault.tsx";
import { Seg } from "../../parts/form/choice_field.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { type Loaded, useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Name } from "../../parts/show/name.tsx";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { FilterBar, hasText } from "../../parts/table/filter_bar.tsx";
import { changeEvents, devices, radioEvents } from "../../state/store.ts";
import { type Arrangement, branchesOf, type Reached, reachedBy, titleOf } from "./branches.ts";
import { ratesOf, type Snapshot, SNAPSHOTS } from "./line_width.ts";
import { TopologyMap } from "./map.tsx";
import type { Topology, TopologyNode } from "./wire.ts";
import { t, tc, tn } from "../../text/language.ts";
import "../../styles/pages/topology.css";

const ARRANGEMENTS = [["interface", t("Interface")], ["group", t("Group")]] as const;
const FACETS = [["all", t("All")], ["online", t("Online")], ["offline", t("Offline")]] as const;

/** Milliseconds between two loads of the traffic, which is counted by minutes. */
const LOAD_INTERVAL_MS = 60_000;

/** What is connected where; a device shows what it may reach. */
export default function TopologyPage({ title }: PageProps): VNode {
  const arrangement = useSignal<Arrangement>("interface");
  const topology = useLoaded<Topology>(
    { path: "/topology" },
    [changeEvents.value, radioEvents.value, devices.value],
  );
  return (
    <>
      <PageHead title={title} note={t("Choose a device to outline what it can reach")}>
        <Seg
          label={t("Arrange by")}
          value={arrangement.value}
          options={ARRANGEMENTS}
          onValue={(value) => arrangement.value = value as Arrangement}
        />
      </PageHead>
      <Map topology={topology} arrangement={arrangement.value} />
    </>
  );
}

function Map(
  { topology, arrangement }: { topology: Loaded<Topology>; arrangement: Arrangement },
): VNode {
  const text = useSignal("");
  const facet = useSignal("all");
  const chosen = useSignal("");
  const uplinks = useLoaded<readonly { readonly Iface: string; readonly Up: boolean }[]>(
    { path: "/wan/status" },
    [changeEvents.value],
  );
  const traffic = useLoaded<readonly Snapshot[]>(
    { path: "/traffic_history", query: { minutes: SNAPSHOTS } },
    [usePulse(LOAD_INTERVAL_MS)],
  );
  const rates = ratesOf(traffic.body ?? []);
  const { body } = topology;
  if (body === null) {
    return topology.problem === null
      ? <Loading what={t("topology")} rows={5} />
      : <Fault title={t("The topology could not be loaded.")}>{topology.problem.message}</Fault>;
  }
  const all = body.Nodes.filter(({ Kind }) => Kind === "device");
  const fits = (device: TopologyNode): boolean =>
    (facet.value === "all" || device.Online === (facet.value === "online")) &&
    hasText(searched(device), text.value);
  const device = all.find(({ ID }) => ID === chosen.value) ?? null;
  const reached = device === null ? null : reachedBy(body, device);
  const branches = branchesOf(body, arrangement, fits);
  const down = (uplinks.body ?? []).filter(({ Up }) => !Up).map(({ Iface }) => Iface);
  const online = all.filter(({ Online }) => Online).length;
  const numbers = [all.length, online, all.length - online];
  return (
    <>
      <FilterBar
        label={t("Filter devices")}
        hint={t("Name, address, group or tag")}
        text={text.value}
        onText={(value) => text.value = value}
        facets={FACETS.map(([name, word], at) => ({ name, word, number: numbers[at]! }))}
        chosen={facet.value}
        onFacet={(name) => facet.value = name}
      />
      <section class="panel bleed" aria-label={t("Map")}>
        <TopologyMap
          topology={body}
          branches={branches}
          chosen={device}
          reached={reached}
          down={new Set(down)}
          rates={rates}
          onChoose={({ ID }) => chosen.value = chosen.value === ID ? "" : ID}
        />
        <footer class="row wrap" aria-live="polite">
          {device === null || reached === null
            ? (
              <>
                <span class="quiet">
                  {tn(
                    "{count} device",
                    "{count} devices",
                    branches.flatMap((one) => one.devices).length,
                  )}
                </span>
                {rates.size > 0 && (
                  <span class="quiet">
                    {t("Wider lines: more traffic in the last five minutes")}
                  </span>
                )}
              </>
            )
            : <Chosen device={device} reached={reached} />}
        </footer>
      </section>
    </>
  );
}

/** What can be found of a device by the filter. */
function searched(
  { Name: name, MAC, IP, Groups = [], Tags = [], Policies = [], Iface = "" }: TopologyNode,
): string {
  return [name, MAC, IP, Iface, ...Groups, ...Tags, ...Policies].join(" ");
}

function Chosen({ device, reached }: { device: TopologyNode; reached: Reached }): VNode {
  const identity = device.ID.replace(/^dev:/, "");
  return (
    <>
      <span class="grow">
        <b>
          <Name>{titleOf(device)}</Name>
        </b>{" "}
        {device.Isolated ? t("is blocked and reaches nothing") : sentence(reached)}
      </span>
      <a class="btn small" href={`/admin/reach?from=${encodeURIComponent(identity)}`}>
        {t("Test access")}
      </a>
      <a class="btn small" href={`/admin/devices/${encodeURIComponent(identity)}`}>
        {tc("verb", "Open")}
        <span class="vh">{titleOf(device)}</span>
      </a>
    </>
  );
}

function sentence({ devices, internet, endpoints }: Reached): string {
  const parts = [
    ...(devices.size === 0 ? [] : [tn("{count} device", "{count} devices", devices.size)]),
    ...(endpoints === 0 ? [] : [tn("{count} endpoint", "{count} endpoints", endpoints)]),
    ...(internet ? [t("the Internet")] : []),
  ];
  if (parts.length === 0) {
    return t("reaches no device and not the Internet by its policies and groups");
  }
  const last = parts.at(-1)!;
  const list = parts.length === 1
    ? last
    : t("{parts} and {last}", { parts: parts.slice(0, -1).join(", "), last });
  return t("reaches {list} by its policies and groups", { list });
}
