import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useLocation, useRoute } from "preact-iso/router";
import { openPreview } from "../../../actions/action.ts";
import { openApproval } from "../../../actions/approve.ts";
import { Icon } from "../../../parts/show/icon.tsx";
import { Fault } from "../../../parts/form/fault.tsx";
import { Loading } from "../../../parts/load/loading.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { StateMark, stateText } from "../../../parts/show/state_mark.tsx";
import { devices, loadProblem } from "../../../state/store.ts";
import type { Device } from "../../../wire.ts";
import { BLOCKED } from "../../../text/policies.ts";
import { isBlocked, isPendingApproval, nameOf, stateOf } from "../../../text/format.ts";
import { deviceHref, seenText } from "../last_seen.ts";
import { useTitle } from "../../../parts/show/page_head.tsx";
import { Tabs } from "../../../parts/show/tabs.tsx";
import { Activity } from "./activity.tsx";
import { Facts } from "./facts.tsx";
import { blockDevice, deleteDevice } from "./actions.ts";
import { colourOf, glyphOf } from "./glyph.ts";
import { Identity } from "./identity.tsx";
import { Groups, Tags } from "./labels.tsx";
import { IconDialog } from "./icon_dialog.tsx";
import { Policies, Restrictions } from "./policies.tsx";
import { lazyPart } from "../../../parts/load/lazy.tsx";
import { QueryLogPanel } from "./query_log.tsx";
import { RenameDialog } from "./rename.tsx";
import { StagedBar } from "./staged_bar.tsx";
import { WifiPanel } from "./wifi_panel.tsx";
import { t } from "../../../text/language.ts";
import { rich } from "../../../text/translate.ts";
import "../../../styles/pages/device.css";

const TABS = [
  ["access", t("Access")],
  ["activity", t("Activity")],
  ["dns", "DNS"],
  ["details", t("Details")],
] as const;

/** Address of a tab of a device's page. */
function tabHref(identity: string, tab: string): string {
  return tab === "access" ? deviceHref(identity) : `${deviceHref(identity)}?tab=${tab}`;
}

const DeviceHistory = lazyPart(() => import("./history.tsx").then((it) => it.DeviceHistory));
const DeviceTraffic = lazyPart(() => import("./traffic.tsx").then((it) => it.DeviceTraffic));

/** One device: how it does now, and in tabs its access, activity, DNS queries and details. */
export default function DevicePage(): VNode {
  const identity = useRoute().params["identity"] ?? "";
  const { query, route } = useLocation();
  const tab = TABS.find(([name]) => name === query["tab"])?.[0] ?? "access";
  const all = devices.value;
  const device = all?.[identity];
  useTitle(nameOf(identity, device));
  if (all === null) {
    return loadProblem.value === null
      ? <Loading what={t("the device")} />
      : <Fault title={t("The device could not be loaded.")}>{loadProblem.value}</Fault>;
  }
  if (device === undefined) return <Gone identity={identity} />;
  return (
    <>
      <Head identity={identity} device={device} />
      {isPendingApproval(device) && (
        <div class="fault warning below-head">
          <Icon name="alert" />
          <div>
            {rich(t("{b} It has no access until then."), {
              b: <b>{t("New device, awaiting approval.")}</b>,
            })}
          </div>
          <button class="btn primary" type="button" onClick={() => openApproval([identity])}>
            {t("Approve…")}
          </button>
        </div>
      )}
      <Facts key={`facts ${identity}`} device={device} />
      <Tabs
        label={nameOf(identity, device)}
        tabs={TABS}
        chosen={tab}
        onChoose={(name) => route(tabHref(identity, name), true)}
      >
        {tab === "access" && (
          <div class="cols main-side near">
            <div class="stack">
              <Policies identity={identity} device={device} />
              <Restrictions identity={identity} device={device} />
            </div>
            <div class="stack">
              <Groups identity={identity} device={device} />
              <Tags identity={identity} device={device} />
            </div>
          </div>
        )}
        {tab === "activity" && (
          <div class="cols main-side">
            <div class="stack">
              {device.RecentIP === ""
                ? <p class="s quiet">{t("Traffic is counted once the device has an address.")}</p>
                : <DeviceTraffic address={device.RecentIP} title={nameOf(identity, device)} />}
            </div>
            <div class="stack">
              <Activity identity={identity} />
              <DeviceHistory identity={identity} />
            </div>
          </div>
        )}
        {tab === "dns" && (
          <div class="stack narrow">
            {device.RecentIP === "" && (
              <p class="s quiet">{t("Queries are logged once the device has an address.")}</p>
            )}
            <QueryLogPanel identity={identity} device={device} />
          </div>
        )}
        {tab === "details" && (
          <div class="cols half">
            <Identity identity={identity} device={device} />
            <WifiPanel key={identity} identity={identity} device={device} />
          </div>
        )}
      </Tabs>
      <StagedBar identity={identity} device={device} />
    </>
  );
}

function Head({ identity, device }: { identity: string; device: Device }): VNode {
  const renaming = useSignal(false);
  const looking = useSignal(false);
  const { route } = useLocation();
  const name = nameOf(identity, device);
  const state = stateOf(device);
  const blocked = isBlocked(device);
  const seen = seenText(device, Date.now());
  return (
    <div class="head tall">
      <div>
        <nav class="crumb" aria-label={t("Path")}>
          <a href="/admin/devices">{t("Devices")}</a>
          <Icon name="right" small />
          <span class="trunc">
            <Name>{name}</Name>
          </span>
        </nav>
        <div class="ident">
          <button
            class={`glyph ${colourOf(device)}`}
            type="button"
            aria-label={t("Change icon")}
            title={t("Change icon")}
            onClick={() => looking.value = true}
          >
            <Icon name={glyphOf(device)} />
          </button>
          <div>
            <h1>
              <Name>{name}</Name>
            </h1>
            <p>
              <span class="state">
                <StateMark state={state} />
                {stateText(state)}
              </span>
              {!device.Online &&
                (seen === t("never") ? t(", never seen") : t(", last seen {seen} ago", { seen }))}
              {device.RecentIP && ` · ${device.RecentIP}`}
            </p>
          </div>
        </div>
      </div>
      <div class="row wrap">
        <a class="btn" href={`/admin/reach?from=${encodeURIComponent(identity)}`}>
          {t("Test connection")}
        </a>
        <button class="btn" type="button" onClick={() => renaming.value = true}>
          {t("Rename")}
        </button>
        <button
          class="btn"
          type="button"
          onClick={() => openPreview(blockDevice(identity, BLOCKED, !blocked))}
        >
          {blocked ? t("Unblock") : t("Block")}
        </button>
        <button
          class="btn danger"
          type="button"
          onClick={() => openPreview(deleteDevice(identity, () => route("/admin/devices")))}
        >
          {t("Delete")}
        </button>
      </div>
      {looking.value && (
        <IconDialog
          identity={identity}
          device={device}
          onClose={() => looking.value = false}
        />
      )}
      {renaming.value && (
        <RenameDialog
          identity={identity}
          name={device.Name}
          onClose={() => renaming.value = false}
        />
      )}
    </div>
  );
}

function Gone({ identity }: { identity: string }): VNode {
  return (
    <div class="empty">
      <Icon name="devices" />
      <h1>{t("Device not found")}</h1>
      <p class="soft any">
        {rich(
          t("{identity} was deleted or never joined. A deletion can be reverted in the change history."),
          { identity: <Name>{identity}</Name> },
        )}
      </p>
      <div class="row wrap">
        <a class="btn" href="/admin/devices">{t("Devices")}</a>
        <a class="btn" href="/admin/changes">{t("Change history")}</a>
      </div>
    </div>
  );
}
