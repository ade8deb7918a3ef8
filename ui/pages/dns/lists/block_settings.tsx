import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Action, openPreview } from "../../../actions/action.ts";
import { applyOrPreview } from "../../../actions/apply.ts";
import { SelectField } from "../../../parts/form/choice_field.tsx";
import { Field } from "../../../parts/form/field.tsx";
import { Icon } from "../../../parts/show/icon.tsx";
import { Name } from "../../../parts/show/name.tsx";
import { Switch } from "../../../parts/form/switch.tsx";
import { useForm } from "../../../parts/form/use_form.ts";
import { Form, SubmitButton } from "../../../parts/form/form.tsx";
import { textOf } from "../../../api/problem.ts";
import { clientChoices, clientText } from "../log/clients.ts";
import { sendTextBody, TEXT_FIELD } from "../text_body.ts";
import type { BlockSettings } from "../wire.ts";
import { t, tn } from "../../../text/language.ts";

const BLOCK = "/plugins/dns/block";

/** Update intervals to choose from, in seconds. */
const EVERY: readonly (readonly [string, string])[] = [
  ["3600", t("Every hour")],
  ["86400", t("Every day")],
  ["345600", t("Every 4 days")],
  ["0", t("Every week")],
];
/** The same as sentences about the block lists. */
const EVERY_SENTENCES: Readonly<Record<string, string>> = {
  "3600": t("are updated every hour."),
  "86400": t("are updated every day."),
  "345600": t("are updated every 4 days."),
  "0": t("are updated every week."),
};

/** Excluded devices, the update interval, and further settings of blocking. */
export function BlockSettingsPanel({ now }: { now: BlockSettings }): VNode {
  const shown = everyOf(now.RefreshSeconds);
  const choices = EVERY.some(([value]) => value === shown) ? EVERY : [
    ...EVERY,
    [
      shown,
      tn("Every {count} hour", "Every {count} hours", Math.round(Number(shown) / 3600)),
    ] as const,
  ];
  const refused = useSignal<string | null>(null);
  function look(seconds: string): void {
    refused.value = null;
    applyOrPreview(lookEvery(seconds)).catch((error) => refused.value = textOf(error));
  }
  return (
    <section class="panel" aria-labelledby="block-settings">
      <header>
        <h2 id="block-settings">{t("Settings")}</h2>
      </header>
      <ul class="setting-list">
        <li>
          <div>
            <b>{t("Block DNS rebinding")}</b>
            <p>{t("Refuses public domains that resolve to private addresses")}</p>
          </div>
          <Switch
            label={t("Block DNS rebinding")}
            on={!now.RebindingCheckDisable}
            onFlip={() => openPreview(refuseRebinding(now.RebindingCheckDisable))}
          />
        </li>
        <li>
          <div>
            <b>{t("Keep devices on this DNS")}</b>
            <p>
              {t(
                "Firefox, iCloud Private Relay and others are instructed not to use DNS of their own, where lists, custom rules or Family DNS apply",
              )}
            </p>
          </div>
          <Switch
            label={t("Keep devices on this DNS")}
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
              <p>{t("excluded from blocking")}</p>
            </div>
            <button
              class="icon-btn small"
              type="button"
              aria-label={t("Remove exclusion: {client}", { client: clientText(address) })}
              onClick={() => openPreview(leaveAlone(address, false))}
            >
              <Icon name="x" small />
            </button>
          </li>
        ))}
      </ul>
      <div class="form pad">
        <SelectField
          label={t("Update interval")}
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
      label={t("Excluded devices")}
      help={t("Custom rules do not apply to them either")}
      value=""
      disabled={others.length === 0}
      options={[["", t("Select a device")], ...others]}
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
          title: t("Preview: quarantine redirect"),
          subject: t("Devices in quarantine"),
          sentence: host === ""
            ? t("get NXDOMAIN for every domain.")
            : t("are redirected to {host}.", { host }),
          button: t("Save"),
          done: host === ""
            ? t("get NXDOMAIN for every domain.")
            : t("are redirected to {host}.", { host }),
          request: () => ({ method: "PUT", path: `${BLOCK}/quarantineHost`, body: host }),
        })
      );
    },
  });
  return (
    <Form write={write} class="form pad" failed={t("The redirect was not saved.")}>
      <Field
        label={t("Quarantine redirect")}
        help={t("LAN IP. Empty = NXDOMAIN for every domain")}
        autocomplete="off"
        {...write.text(TEXT_FIELD, address)}
      />
      <div class="row">
        <SubmitButton write={write} class="btn">{t("Save")}</SubmitButton>
      </div>
    </Form>
  );
}

function lookEvery(seconds: string): Action {
  const sentence = EVERY_SENTENCES[seconds] ?? t("are updated as before.");
  return {
    title: t("Preview: update interval"),
    subject: t("Block lists"),
    sentence,
    button: t("Save"),
    done: sentence,
    request: () => ({ method: "PUT", path: `${BLOCK}/setRefresh`, query: { seconds } }),
  };
}

function refuseRebinding(on: boolean): Action {
  return {
    title: on
      ? t("Preview: DNS rebinding protection on")
      : t("Preview: DNS rebinding protection off"),
    subject: t("Public domains"),
    sentence: on
      ? t("that resolve to private addresses are blocked.")
      : t("may resolve to private addresses. A web page can then reach LAN devices."),
    button: on ? t("Block") : t("Allow"),
    danger: !on,
    done: on
      ? t("that resolve to private addresses are blocked.")
      : t("may resolve to private addresses."),
    request: () => ({
      method: "PUT",
      path: `${BLOCK}/disableRebinding`,
      query: { value: String(!on) },
    }),
  };
}

function keepDevices(on: boolean): Action {
  return {
    title: on
      ? t("Preview: keep devices on this DNS on")
      : t("Preview: keep devices on this DNS off"),
    subject: t("Devices with filtered DNS"),
    sentence: on
      ? t("are instructed not to use DNS of their own.")
      : t("may use DNS of their own. Lists, custom rules and Family DNS have no effect there."),
    button: on ? t("Keep") : t("Allow"),
    danger: !on,
    done: on ? t("are instructed not to use DNS of their own.") : t("may use DNS of their own."),
    request: () => ({
      method: "PUT",
      path: `${BLOCK}/disableBypassCheck`,
      query: { value: String(!on) },
    }),
  };
}

function leaveAlone(address: string, alone: boolean): Action {
  return {
    title: alone ? t("Preview: exclude device") : t("Preview: remove exclusion"),
    subject: clientText(address),
    sentence: alone
      ? t("is excluded from block lists and custom rules.")
      : t("is no longer excluded from blocking."),
    button: alone ? t("Exclude") : t("Remove exclusion"),
    done: alone ? t("was excluded.") : t("is no longer excluded."),
    request: () => ({
      method: alone ? "PUT" : "DELETE",
      path: `${BLOCK}/exclusions`,
      body: address,
    }),
  };
}
