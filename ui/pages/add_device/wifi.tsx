import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { applySmall } from "../../act.ts";
import type { Answer } from "../../api.ts";
import { fieldMessage, formMessage } from "../../form_check.ts";
import { formRules } from "../../generated/form_rules.ts";
import { Fault } from "../../parts/fault.tsx";
import { Field, focusFirstProblem } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ApiProblem, wordsOf } from "../../problem.ts";
import { devices } from "../../store.ts";
import type { Device } from "../../wire.ts";
import { addWifi, type NewDevice } from "./acts.ts";
import { NewDeviceFields } from "./choices.tsx";
import { FRESH } from "./fresh.ts";
import { JoinPanel } from "./join_panel.tsx";
import type { Waiting } from "./joined.ts";
import { OthersWaiting } from "./others_waiting.tsx";

const KINDS = [["sae", "WPA3"], ["wpa2", "WPA2"]] as const;

/** Adds a Wi-Fi device: a password of its own, shown as a QR code until the device joins with it. */
export function Wifi(): VNode {
  const device = useSignal<NewDevice>(FRESH);
  const type = useSignal<string>("sae");
  const own = useSignal("");
  const problem = useSignal<ApiProblem | null>(null);
  const waiting = useSignal<Waiting | null>(null);
  const form = useRef<HTMLFormElement>(null);

  function made({ body, identity }: Answer<Device>, before: ReadonlySet<string>): void {
    const { Type, Psk } = body.PSKEntry;
    waiting.value = {
      identity: identity ?? "pending",
      name: body.Name,
      type: Type,
      password: own.value === "" ? Psk : own.value,
      before,
    };
    own.value = "";
    device.value = { ...device.value, name: "" };
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    problem.value = null;
    const before = new Set(Object.keys(devices.value ?? {}));
    try {
      if (own.value !== "" && !new RegExp(formRules.psk.pattern).test(own.value)) throw weak();
      const key = { type: type.value, password: own.value };
      await applySmall(addWifi(device.value, key, (answer) => made(answer, before)));
    } catch (error) {
      problem.value = error instanceof ApiProblem ? error : new ApiProblem(0, wordsOf(error));
      focusFirstProblem(form.current);
    }
  }

  const other = formMessage(problem.value, ["Name", "Groups", "PSKEntry"]);
  return (
    <div class="cols half">
      <form class="form" ref={form} noValidate onSubmit={(event) => void submit(event)}>
        {other && <Fault title="No password was made.">{other}</Fault>}
        <NewDeviceFields
          value={device.value}
          onValue={(value) => device.value = value}
          problem={problem.value}
        />
        <fieldset class="field">
          <legend class="label">Security</legend>
          <div>
            <div class="seg">
              {KINDS.map(([value, words]) => (
                <label key={value}>
                  <input
                    type="radio"
                    name="security"
                    checked={type.value === value}
                    onChange={() => type.value = value}
                  />
                  {words}
                </label>
              ))}
            </div>
          </div>
          <span class="help">Devices from before 2019 may need WPA2</span>
        </fieldset>
        <Field
          label="Password"
          help="Leave it empty and this router makes one of 16 random signs"
          autocomplete="off"
          maxLength={63}
          problem={fieldMessage(problem.value, "PSKEntry")}
          value={own.value}
          onValue={(value) => own.value = value}
        />
        <div class="row">
          <button class="btn primary" type="submit">Make its password</button>
          <a class="btn" href="/admin/devices">Back</a>
        </div>
      </form>
      <div class="stack">
        {waiting.value === null ? <Before /> : (
          <JoinPanel
            key={waiting.value.identity}
            waiting={waiting.value}
            onWaiting={(next) => waiting.value = next}
          />
        )}
        <OthersWaiting
          except={waiting.value?.identity ?? null}
          onShow={(next) => waiting.value = next}
        />
      </div>
    </div>
  );
}

function weak(): ApiProblem {
  const message = "Use 8 to 63 letters, digits and signs of a plain keyboard";
  return new ApiProblem(400, message, { errors: [{ pointer: "/PSKEntry/Psk", message }] });
}

function Before(): VNode {
  return (
    <section class="panel empty" aria-label="Join with this device">
      <Icon name="wifi" />
      <h2>A password for one device</h2>
      <p class="s soft">
        The first device that joins with it is this one, and no other can use it from then on. A QR
        code for its camera appears here.
      </p>
    </section>
  );
}
