import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { openPreview } from "../../actions/action.ts";
import { call } from "../../api/client.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name } from "../../parts/show/name.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { changeEvents } from "../../state/store.ts";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import {
  addressName,
  dropAddress,
  type Settings,
  switchAddress,
  switchAll,
  whereText,
} from "./actions.ts";
import { AddressDrawer } from "./group_drawer.tsx";
import { DiscoveredList } from "./discovered.tsx";
import { OwnName } from "./mdns_name.tsx";
import type { DiscoveredSender, MulticastAddress, MulticastSettings } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Milliseconds between two loads of discovered services. */
const LISTEN_EVERY = 30_000;

/** The multicast reflector, the router's mDNS name, and discovered services. */
export default function MulticastPage({ title }: PageProps): VNode {
  const loaded = useLoaded<MulticastSettings>({ path: "/multicastSettings" }, [changeEvents.value]);
  const discovered = useLoaded<{ readonly items: readonly DiscoveredSender[] }>({
    path: "/multicast/discovered",
  }, [
    changeEvents.value,
    usePulse(LISTEN_EVERY),
  ]);
  const adding = useSignal(false);
  const latest = useRef<MulticastSettings | null>(null);
  useEffect(() => {
    if (loaded.body !== null) latest.current = loaded.body;
  }, [loaded.body]);
  const now = loaded.body;
  const settings: Settings = {
    now: () => latest.current as MulticastSettings,
    async fresh() {
      const { body, etag } = await call<MulticastSettings>({ path: "/multicastSettings" });
      latest.current = body;
      return etag;
    },
    after: loaded.reload,
  };
  return (
    <>
      <PageHead
        title={title}
        note={t("Lets a phone on one interface find a printer or TV on another")}
      >
        <button
          class="btn"
          type="button"
          disabled={now === null}
          onClick={() => adding.value = true}
        >
          <Icon name="plus" small /> {t("Add multicast group")}
        </button>
      </PageHead>
      {now === null
        ? loaded.problem === null
          ? <Loading what={t("multicast")} rows={3} />
          : <Fault title={t("The settings could not be loaded.")}>{loaded.problem.message}</Fault>
        : (
          <div class="stack">
            <div class="cols main-side">
              <Repeated now={now} settings={settings} />
              <OwnName now={now} settings={settings} />
            </div>
            <DiscoveredList discovered={discovered} />
          </div>
        )}
      {adding.value && now !== null && (
        <AddressDrawer
          one={null}
          settings={settings}
          onClose={() => adding.value = false}
        />
      )}
    </>
  );
}

function Repeated({ now, settings }: { now: MulticastSettings; settings: Settings }): VNode {
  // Not in the row: a form stays when somebody else deletes what it is about.
  const editing = useSignal<MulticastAddress | null>(null);
  return (
    <section class="panel" aria-labelledby="repeated">
      <header>
        <h2 id="repeated">{t("Reflector")}</h2>
      </header>
      <ul class="setting-list">
        <li>
          <div>
            <b>{t("mDNS/SSDP reflector")}</b>
            <p>{t("Forwards discovery traffic between LAN interfaces")}</p>
          </div>
          <Switch
            label={t("mDNS/SSDP reflector")}
            on={!now.Disabled}
            onFlip={() => openPreview(switchAll(settings, now.Disabled))}
          />
        </li>
        {now.Addresses.map((one) => (
          <Address
            key={one.Address}
            one={one}
            idle={now.Disabled}
            settings={settings}
            onEdit={() => editing.value = one}
          />
        ))}
      </ul>
      {editing.value !== null && (
        <AddressDrawer
          one={editing.value}
          settings={settings}
          onClose={() => editing.value = null}
        />
      )}
    </section>
  );
}

function Address(
  { one, idle, settings, onEdit }: {
    one: MulticastAddress;
    idle: boolean;
    settings: Settings;
    onEdit: () => void;
  },
): VNode {
  const name = addressName(one);
  const text = one.Disabled
    ? t("disabled")
    : idle
    ? t("inactive while the reflector is off")
    : whereText(one);
  return (
    <li>
      <div>
        <b>
          <Name>{name}</Name>
        </b>
        <p>
          {one.Description !== "" && `${one.Address}, `}
          <Name>{text}</Name>
        </p>
      </div>
      <span class="row">
        <button class="btn small" type="button" onClick={onEdit}>
          {t("Edit")}
          <span class="vh">{name}</span>
        </button>
        <button
          class="icon-btn small"
          type="button"
          aria-label={t("Delete {name}", { name })}
          onClick={() => openPreview(dropAddress(settings, one))}
        >
          <Icon name="x" small />
        </button>
        <Switch
          label={t("Reflect {name}", { name })}
          on={!one.Disabled}
          onFlip={() => openPreview(switchAddress(settings, one, one.Disabled))}
        />
      </span>
    </li>
  );
}
