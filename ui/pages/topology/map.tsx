import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Icon, type IconName } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { StateMark } from "../../parts/show/state_mark.tsx";
import { devices } from "../../state/store.ts";
import { isPendingApproval, rateText, type State } from "../../text/format.ts";
import { type Branch, type Reached, titleOf, uplinksOf } from "./branches.ts";
import { rateOf, widthOf } from "./line_width.ts";
import type { Topology, TopologyNode } from "./wire.ts";
import { t, tn } from "../../text/language.ts";

/** Devices of a branch that are drawn at once. */
const SHOWN = 24;

const ICONS: Readonly<Record<Branch["kind"], IconName>> = {
  radio: "wifi",
  port: "server",
  vpn: "key",
  router: "router",
  group: "people",
  none: "devices",
};

/** Uplinks, the router, its interfaces or the groups, and their devices, from left to right. */
export function TopologyMap(
  { topology, branches, chosen, reached, down, rates, onChoose }: {
    topology: Topology;
    branches: readonly Branch[];
    chosen: TopologyNode | null;
    /** What the chosen device reaches. */
    reached: Reached | null;
    /** Uplinks without a connection. */
    down: ReadonlySet<string>;
    /** Bit/s by the addresses of devices. */
    rates: ReadonlyMap<string, number>;
    onChoose: (device: TopologyNode) => void;
  },
): VNode {
  const router = topology.Nodes.find(({ Kind }) => Kind === "router");
  return (
    <div class="topo">
      <ul class="uplinks" aria-label={t("Uplinks")}>
        {uplinksOf(topology).map(({ ID, Name: name }) => (
          <li
            key={ID}
            class={`node${down.has(name) ? " idle" : ""}${reached?.internet ? " reached" : ""}`}
          >
            <StateMark state={down.has(name) ? "offline" : "online"} />
            <Name>{name}</Name>
          </li>
        ))}
      </ul>
      <div
        class="node router"
        data-width={widthOf(rateOf(rates, branches.flatMap(({ devices }) => devices)))}
      >
        <Icon name="router" />
        <b>
          <Name>{router?.Name ?? t("Router")}</Name>
        </b>
      </div>
      <ul class="branches" aria-label={t("Connected")}>
        {branches.map((branch) => (
          <BranchRow
            key={branch.id}
            branch={branch}
            chosen={chosen}
            reached={reached}
            rates={rates}
            onChoose={onChoose}
          />
        ))}
      </ul>
    </div>
  );
}

function BranchRow(
  { branch, chosen, reached, rates, onChoose }: {
    branch: Branch;
    chosen: TopologyNode | null;
    reached: Reached | null;
    rates: ReadonlyMap<string, number>;
    onChoose: (device: TopologyNode) => void;
  },
): VNode {
  const whole = useSignal(false);
  const { devices: all, kind, name, note } = branch;
  const online = all.filter(({ Online }) => Online).length;
  const shown = whole.value ? all : all.slice(0, SHOWN);
  return (
    <li class={online === 0 ? "idle" : ""} data-width={widthOf(rateOf(rates, all))}>
      <div class="node">
        <Icon name={ICONS[kind]} />
        <div>
          <b>
            <Name>{name}</Name>
          </b>
          <small>
            {note !== "" && (
              <>
                <Name>{note}</Name>
                <br />
              </>
            )}
            {all.length === 0
              ? t("no devices")
              : t("{online} of {all} online", { online, all: all.length })}
            {widthOf(rateOf(rates, all)) > 0 && `, ${rateText(rateOf(rates, all))}`}
          </small>
        </div>
      </div>
      <ul class="devices" aria-label={t("Devices: {name}", { name })}>
        {shown.map((device) => (
          <li key={device.ID} data-width={widthOf(rateOf(rates, [device]))}>
            <button
              type="button"
              data-row
              class={reached?.devices.has(device.ID) ? "reached" : ""}
              aria-pressed={chosen?.ID === device.ID}
              onClick={() => onChoose(device)}
            >
              <StateMark state={stateOf(device)} />
              <Name>{titleOf(device)}</Name>
              <small>{detailOf(device, rateOf(rates, [device]))}</small>
            </button>
          </li>
        ))}
        {all.length > shown.length && (
          <li>
            <button type="button" class="more" onClick={() => whole.value = true}>
              {tn("{count} more device", "{count} more devices", all.length - shown.length)}
            </button>
          </li>
        )}
      </ul>
    </li>
  );
}

/** Traffic of a device where there is some, else its signal. */
function detailOf({ Signal }: TopologyNode, bits: number): string {
  if (widthOf(bits) > 0) return rateText(bits);
  return Signal !== undefined && Signal.RSSI < 0 ? t("{rssi} dBm", { rssi: Signal.RSSI }) : "";
}

function stateOf({ ID, Isolated, Online }: TopologyNode): State {
  const device = devices.value?.[ID.replace(/^dev:/, "")];
  if (device !== undefined && isPendingApproval(device)) return "pending";
  return Isolated === true ? "blocked" : Online ? "online" : "offline";
}
