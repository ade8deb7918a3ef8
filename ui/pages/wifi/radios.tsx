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

const ROLES: Readonly<Record<string, string>> = {
  Uplink: "uplink",
  Downlink: "LAN interface",
};

/** The radios of the machine, each with its switch and its settings. */
export function RadioList(
  { radios, onDone }: { radios: Loaded<Radios>; onDone: () => void },
): VNode {
  const editing = useSignal<Radio | null>(null);
  const { body, problem } = radios;
  if (body === null) {
    return problem === null
      ? <Loading what="radios" rows={2} />
      : <Fault warning title="The radios are not available.">{problem.message}</Fault>;
  }
  return (
    <div class="stack">
      {body.hostapd === "" && body.items.length > 0 && (
        <Fault warning title="hostapd is not installed.">
          The Debian package hostapd makes a radio an access point.
        </Fault>
      )}
      <section class="panel" aria-labelledby="radios">
        <header>
          <h2 id="radios">Radios</h2>
          <span class="note">country {body.country === "00" ? "not set" : body.country}</span>
        </header>
        {body.items.length === 0
          ? (
            <div class="empty">
              <Icon name="wifi" />
              <p class="s soft">
                No radio found. Plug in a Wi-Fi adapter that can be an access point.
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
          {[radioText(radio), radio.bands.map(({ band }) => `${band} GHz`).join(", ")].join("; ")}
        </p>
        {radio.state !== null && radio.state.state !== "renamed" && radio.state.problem !== "" && (
          <p class="soft">hostapd: {radio.state.problem}</p>
        )}
      </div>
      {radio.accessPoint && role === undefined
        ? (
          <span class="row">
            {isOn && (
              <button class="btn small" type="button" onClick={onEdit}>
                Settings<span class="vh">of {radio.name}</span>
              </button>
            )}
            <Switch
              label={`Access point ${radio.name}`}
              on={isOn}
              onFlip={() => openPreview(switchRadio(radio, !isOn, onDone))}
            />
          </span>
        )
        : <span class="s quiet">{role ?? "cannot be an access point"}</span>}
    </li>
  );
}

/** What a radio does now. */
function radioText({ type, enabled, state }: Radio): string {
  if (type !== "AP" || !enabled) return "off";
  if (state === null) return "not started yet";
  const where = state.channel === 0 ? "" : `, channel ${state.channel} (${state.frequency} MHz)`;
  switch (state.state) {
    case "enabled":
      return `on${where}`;
    case "starting":
      return "starting, or listening for radar";
    case "failsafe":
      return `on with safe settings${where}`;
    case "refused":
      return `settings not accepted${where === "" ? "" : ", the last ones stay"}`;
    case "missing":
      return "unplugged";
    case "renamed":
      return `another adapter has this name, it was ${state.problem} before; turn it off and on to use it`;
    case "stopped":
      return "off";
  }
}
