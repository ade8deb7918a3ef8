import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { openPreview } from "../../actions/action.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import type { Loaded } from "../../parts/load/use_loaded.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import { switchRadio } from "./actions.ts";
import { RadioDrawer } from "./radio_drawer.tsx";
import type { Radio, Radios } from "./wire.ts";
import { t } from "../../text/language.ts";

const ROLES: Readonly<Record<string, string>> = {
  Uplink: t("uplink"),
  Downlink: t("LAN interface"),
};

/** The radios of the machine, each with its switch and its settings. */
export function RadioList(
  { radios, onDone }: { radios: Loaded<Radios>; onDone: () => void },
): VNode {
  const editing = useSignal<Radio | null>(null);
  const { body, problem } = radios;
  if (body === null) {
    return problem === null
      ? <Loading what={t("radios")} rows={2} />
      : <Fault warning title={t("The radios are not available.")}>{problem.message}</Fault>;
  }
  return (
    <div class="stack">
      {body.hostapd === "" && body.items.length > 0 && (
        <Fault warning title={t("hostapd is not installed.")}>
          {t("The Debian package hostapd makes a radio an access point.")}
        </Fault>
      )}
      <section class="panel" aria-labelledby="radios">
        <header>
          <h2 id="radios">{t("Radios")}</h2>
          <span class="note">
            {t("country {country}", {
              country: body.country === "00" ? t("not set") : body.country,
            })}
          </span>
        </header>
        {body.items.length === 0
          ? (
            <div class="empty">
              <Icon name="wifi" />
              <p class="s soft">
                {t("No radio found. Plug in a Wi-Fi adapter that can be an access point.")}
              </p>
            </div>
          )
          : (
            <ul class="setting-list">
              {body.items.map((radio) => (
                <RadioRow
                  key={radio.name}
                  radio={radio}
                  onEdit={() => editing.value = radio}
                  onDone={onDone}
                />
              ))}
            </ul>
          )}
      </section>
      {editing.value !== null && (
        <RadioDrawer
          radio={editing.value}
          onClose={() => editing.value = null}
          onDone={onDone}
        />
      )}
    </div>
  );
}

function RadioRow(
  { radio, onEdit, onDone }: { radio: Radio; onEdit: () => void; onDone: () => void },
): VNode {
  const isOn = radio.type === "AP" && radio.enabled;
  const role = radio.enabled ? ROLES[radio.type] : undefined;
  return (
    <li>
      <div>
        <b>
          <Name>{radio.name}</Name>
        </b>
        <p>
          {[radioText(radio), radio.bands.map(({ band }) => t("{band} GHz", { band })).join(", ")]
            .join("; ")}
        </p>
        {radio.state !== null && radio.state.state !== "renamed" && radio.state.problem !== "" && (
          <p class="soft">{t("hostapd: {problem}", { problem: radio.state.problem })}</p>
        )}
      </div>
      {radio.accessPoint && role === undefined
        ? (
          <span class="row">
            {isOn && (
              <button class="btn small" type="button" onClick={onEdit}>
                {t("Settings")}
                <span class="vh">{t("of {name}", { name: radio.name })}</span>
              </button>
            )}
            <Switch
              label={t("Access point {name}", { name: radio.name })}
              on={isOn}
              onFlip={() => openPreview(switchRadio(radio, !isOn, onDone))}
            />
          </span>
        )
        : <span class="s quiet">{role ?? t("cannot be an access point")}</span>}
    </li>
  );
}

/** What a radio does now. */
function radioText({ type, enabled, state }: Radio): string {
  if (type !== "AP" || !enabled) return t("off");
  if (state === null) return t("not started yet");
  const where = state.channel === 0 ? "" : t(", channel {channel} ({frequency} MHz)", {
    channel: state.channel,
    frequency: state.frequency,
  });
  switch (state.state) {
    case "enabled":
      return t("on") + where;
    case "starting":
      return t("starting, or listening for radar");
    case "failsafe":
      return t("on with safe settings{where}", { where });
    case "refused":
      return where === ""
        ? t("settings not accepted")
        : t("settings not accepted, the last ones stay");
    case "missing":
      return t("unplugged");
    case "renamed":
      return t(
        "another adapter has this name, it was {problem} before; turn it off and on to use it",
        { problem: state.problem },
      );
    case "stopped":
      return t("off");
  }
}
