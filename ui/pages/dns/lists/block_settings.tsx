import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Action, applyOrPreview, openPreview } from "../../../actions/action.ts";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { Switch } from "../../../parts/form/switch.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { textOf } from "../../../api/problem.ts";
import { count } from "../../../text/format.ts";
import { clientChoices, clientText } from "../log/clients.ts";
import { sendTextBody, TEXT_FIELD } from "../text_body.ts";
import type { BlockSettings } from "../wire.ts";

const BLOCK = "/plugins/dns/block";

/** Update intervals to choose from, in seconds. */
const EVERY: readonly (readonly [string, string])[] = [
  ["3600", "Every hour"],
  ["86400", "Every day"],
  ["345600", "Every 4 days"],
  ["0", "Every week"],
];

/** Excluded devices, the update interval, and further settings of blocking. */
export function BlockSettingsPanel({ now }: { now: BlockSettings }): VNode {
  const shown = everyOf(now.RefreshSeconds);
  const choices = EVERY.some(([value]) => value === shown)
    ? EVERY
    : [...EVERY, [shown, `Every ${count(Math.round(Number(shown) / 3600), "hour")}`] as const];
  const refused = useSignal<string | null>(null);
  function look(seconds: string): void {
    refused.value = null;
    applyOrPreview(lookEvery(seconds)).catch((error) => refused.value = textOf(error));
  }
  return (
    <section class="panel" aria-labelledby="block-settings">
      <header>
        <h2 id="block-settings">Settings</h2>
      </header>
      <ul class="setting-list">
        <li>
          <div>
            <b>Block DNS rebinding</b>
            <p>Refuses public domains that resolve to private addresses</p>
          </div>
          <Switch
            label="Block DNS rebinding"
            on={!now.RebindingCheckDisable}
            onFlip={() => openPreview(refuseRebinding(now.RebindingCheckDisable))}
          />
        </li>
        <li>
          <div>
            <b>Keep devices on this DNS</b>
            <p>
              Firefox, iCloud Private Relay and others are instructed not to use DNS of their own,
              where lists, custom rules or Family DNS apply
            </p>
          </div>
          <Switch
            label="Keep devices on this DNS"
            on={!now.BypassCheckDisable}
            onFlip={() => openPreview(keepDevices(now.BypassCheckDisable))}
          />
        </li>
        {now.ClientIPExclusions.map((address) => (
          <li key={address}>
            <div>
              <b>
                <Name>{clientText(address)}</Name>
              </b>
              <p>excluded from blocking</p>
            </div>
            <button
              class="icon-btn small"
              type="button"
              aria-label={`Remove exclusion: ${clientText(address)}`}
              onClick={() => openPreview(leaveAlone(address, false))}
            >
              <Icon name="x" small />
            </button>
          </li>
        ))}
      </ul>
      <div class="form pad">
        <SelectField
          label="Update interval"
          value={shown}
          options={choices}
          problem={refused.value}
          onValue={look}
        />
        <LeaveAlone now={now} />
      </div>
      <QuarantineHost now={now} />
    </section>
  );
}

/** The choice that means as much: lists are looked at each hour at most, and each week at 0. */
function everyOf(seconds: number): string {
  if (seconds === 604_800 || seconds === 0) return "0";
  return String(Math.max(3600, seconds));
}

/** A choice of a device that nothing is blocked for. */
function LeaveAlone({ now }: { now: BlockSettings }): VNode {
  const others = clientChoices().filter(([address]) => !now.ClientIPExclusions.includes(address));
  return (
    <SelectField
      label="Excluded devices"
      help="Custom rules do not apply to them either"
      value=""
      disabled={others.length === 0}
      options={[["", "Select a device"], ...others]}
      onValue={(address) => address !== "" && openPreview(leaveAlone(address, true))}
    />
  );
}

function QuarantineHost({ now }: { now: BlockSettings }): VNode {
  const address = useSignal(now.QuarantineHostIP);
  useEffect(() => void (address.value = now.QuarantineHostIP), [now.QuarantineHostIP]);
  const write = useForm({
    send: () => {
      const host = address.value.trim();
      return sendTextBody(() =>
        applyOrPreview({
          title: "Preview: quarantine redirect",
          subject: "Devices in quarantine",
          sentence: host === "" ? "get NXDOMAIN for every domain." : `are redirected to ${host}.`,
          button: "Save",
          done: host === "" ? "get NXDOMAIN for every domain." : `are redirected to ${host}.`,
          request: () => ({ method: "PUT", path: `${BLOCK}/quarantineHost`, body: host }),
        })
      );
    },
  });
  return (
    <Form write={write} class="form pad" failed="The redirect was not saved.">
      <Field
        label="Quarantine redirect"
        help="LAN IP. Empty = NXDOMAIN for every domain"
        autocomplete="off"
        {...write.text(TEXT_FIELD, address)}
      />
      <div class="row">
        <SubmitButton write={write} class="btn">Save</SubmitButton>
      </div>
    </Form>
  );
}

function lookEvery(seconds: string): Action {
  const text = EVERY.find(([value]) => value === seconds)?.[1].toLowerCase() ?? "as before";
  return {
    title: "Preview: update interval",
    subject: "Block lists",
    sentence: `are updated ${text}.`,
    button: "Save",
    done: `are updated ${text}.`,
    request: () => ({ method: "PUT", path: `${BLOCK}/setRefresh`, query: { seconds } }),
  };
}

function refuseRebinding(on: boolean): Action {
  return {
    title: `Preview: DNS rebinding protection ${on ? "on" : "off"}`,
    subject: "Public domains",
    sentence: on
      ? "that resolve to private addresses are blocked."
      : "may resolve to private addresses. A web page can then reach LAN devices.",
    button: on ? "Block" : "Allow",
    danger: !on,
    done: on
      ? "that resolve to private addresses are blocked."
      : "may resolve to private addresses.",
    request: () => ({
      method: "PUT",
      path: `${BLOCK}/disableRebinding`,
      query: { value: String(!on) },
    }),
  };
}

function keepDevices(on: boolean): Action {
  return {
    title: `Preview: keep devices on this DNS ${on ? "on" : "off"}`,
    subject: "Devices with filtered DNS",
    sentence: on
      ? "are instructed not to use DNS of their own."
      : "may use DNS of their own. Lists, custom rules and Family DNS have no effect there.",
    button: on ? "Keep" : "Allow",
    danger: !on,
    done: on ? "are instructed not to use DNS of their own." : "may use DNS of their own.",
    request: () => ({
      method: "PUT",
      path: `${BLOCK}/disableBypassCheck`,
      query: { value: String(!on) },
    }),
  };
}

function leaveAlone(address: string, alone: boolean): Action {
  return {
    title: `Preview: ${alone ? "exclude device" : "remove exclusion"}`,
    subject: clientText(address),
    sentence: alone
      ? "is excluded from block lists and custom rules."
      : "is no longer excluded from blocking.",
    button: alone ? "Exclude" : "Remove exclusion",
    done: alone ? "was excluded." : "is no longer excluded.",
    request: () => ({
      method: alone ? "PUT" : "DELETE",
      path: `${BLOCK}/exclusions`,
      body: address,
    }),
  };
}
