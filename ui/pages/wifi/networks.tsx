import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import type { Loaded } from "../../parts/load/use_loaded.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { dropNetwork } from "./actions.ts";
import { NetworkDrawer } from "./network_drawer.tsx";
import type { Radio, WifiNetwork } from "./wire.ts";
import { t } from "../../text/language.ts";
import { andList } from "../../text/format.ts";

const PASSWORDS = {
  device: t("a password per device"),
  shared: t("one password for all"),
  none: t("no password"),
} as const;

/** The networks of all radios. */
export function NetworkList(
  { networks, radios, onDone }: {
    networks: Loaded<{ readonly items: readonly WifiNetwork[] }>;
    radios: readonly Radio[];
    onDone: () => void;
  },
): VNode {
  const adding = useSignal<string | null>(null);
  const { body, problem } = networks;
  if (body === null) {
    return problem === null
      ? <Loading what={t("networks")} rows={2} />
      : <Fault warning title={t("The networks could not be loaded.")}>{problem.message}</Fault>;
  }
  const main = body.items.filter((one) => one.main);
  const free = main.filter(({ radio }) =>
    !body.items.some((one) => !one.main && one.radio === radio) &&
    (radios.find(({ name }) => name === radio)?.networks ?? 2) > 1
  );
  return (
    <section class="panel" aria-labelledby="networks">
      <header>
        <h2 id="networks">{t("Networks")}</h2>
        {free[0] !== undefined && (
          <button
            class="btn small"
            type="button"
            onClick={() => adding.value = free[0]!.radio}
          >
            <Icon name="plus" small /> {t("Add network")}
          </button>
        )}
      </header>
      {body.items.length === 0
        ? (
          <div class="empty">
            <Icon name="wifi" />
            <p class="s soft">{t("No access point yet. Turn on a radio first.")}</p>
          </div>
        )
        : (
          <ul class="setting-list">
            {body.items.map((one) => (
              <li key={one.name}>
                <div>
                  <b>
                    <Name>{one.ssid}</Name>
                  </b>
                  <p>{networkText(one)}</p>
                </div>
                {!one.main && (
                  <span class="row">
                    <button
                      class="btn small"
                      type="button"
                      onClick={() => adding.value = one.radio}
                    >
                      {t("Edit")}
                      <span class="vh">{one.ssid}</span>
                    </button>
                    <button
                      class="icon-btn small"
                      type="button"
                      aria-label={t("Delete {ssid}", { ssid: one.ssid })}
                      onClick={() => openPreview(dropNetwork(one, onDone))}
                    >
                      <Icon name="x" small />
                    </button>
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
      {adding.value !== null && (
        <NetworkDrawer
          radios={free.map(({ radio }) => radio)}
          radio={adding.value}
          network={body.items.find((one) => !one.main && one.radio === adding.value) ?? null}
          onClose={() => adding.value = null}
          onDone={onDone}
        />
      )}
    </section>
  );
}

function networkText(one: WifiNetwork): string {
  return [
    one.radio,
    andList(one.security),
    PASSWORDS[one.password],
    one.isolated ? "" : t("clients reach each other"),
    one.enabled ? "" : t("radio is off"),
  ].filter((word) => word !== "").join(", ");
}
