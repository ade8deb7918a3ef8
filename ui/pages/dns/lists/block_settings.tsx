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
import { wordsOf } from "../../../api/problem.ts";
import { count } from "../../../text/words.ts";
import { clientChoices, clientWord } from "../log/clients.ts";
import { sendTextBody, TEXT_FIELD } from "../text_body.ts";
import type { BlockSettings } from "../wire.ts";

const BLOCK = "/plugins/dns/block";

/** How often lists are looked at, as its choices in seconds. */
const EVERY: readonly (readonly [string, string])[] = [
  ["3600", "Every hour"],
  ["86400", "Every day"],
  ["345600", "Every 4 days"],
  ["0", "Every week"],
];

/** Whom blocking leaves alone, how often lists are looked at, and what goes with it. */
export function BlockSettingsPanel({ now }: { now: BlockSettings }): VNode {
  const shown = everyOf(now.RefreshSeconds);
  const choices = EVERY.some(([value]) => value === shown)
    ? EVERY
    : [...EVERY, [shown, `Every ${count(Math.round(Number(shown) / 3600), "hour")}`] as const];
  const refused = useSignal<string | null>(null);
  function look(seconds: string): void {
    refused.value = null;
    applyOrPreview(lookEvery(seconds)).catch((error) => refused.value = wordsOf(error));
  }
  return (
    <section class="panel" aria-labelledby="block-settings">
      <header>
        <h2 id="block-settings">How it is done</h2>
      </header>
      <ul class="may">
        <li>
          <div>
            <b>Refuse names that lead home</b>
            <p>A name of the Internet with an address at home is how a page outside gets in here</p>
          </div>
          <Switch
            label="Refuse names that lead home"
            on={!now.RebindingCheckDisable}
            onFlip={() => openPreview(refuseRebinding(now.RebindingCheckDisable))}
          />
        </li>
        {now.ClientIPExclusions.map((address) => (
          <li key={address}>
            <div>
              <b>
                <Name>{clientWord(address)}</Name>
              </b>
              <p>nothing is blocked for it</p>
            </div>
            <button
              class="icon-btn small"
              type="button"
              aria-label={`Block for it again: ${clientWord(address)}`}
              onClick={() => openPreview(leaveAlone(address, false))}
            >
              <Icon name="x" small />
            </button>
          </li>
        ))}
      </ul>
      <div class="form pad">
        <SelectField
          label="Lists are looked at"
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
      label="Block nothing for"
      help="Its overrides do not count either"
      value=""
      disabled={others.length === 0}
      options={[["", "Choose a device"], ...others]}
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
          title: "Preview: quarantine host",
          subject: "Devices in quarantine",
          sentence: host === ""
            ? "are told that no name exists."
            : `are led to ${host} for every name.`,
          button: "Lead them there",
          done: host === ""
            ? "are told that no name exists."
            : `are led to ${host} for every name.`,
          request: () => ({ method: "PUT", path: `${BLOCK}/quarantineHost`, body: host }),
        })
      );
    },
  });
  return (
    <Form write={write} class="form pad" failed="The host stays as it is.">
      <Field
        label="Where devices in quarantine are led"
        help="An address at home. Empty: no name exists for them"
        autocomplete="off"
        {...write.text(TEXT_FIELD, address)}
      />
      <div class="row">
        <SubmitButton write={write} class="btn">Lead them there</SubmitButton>
      </div>
    </Form>
  );
}

function lookEvery(seconds: string): Action {
  const words = EVERY.find(([value]) => value === seconds)?.[1].toLowerCase() ?? "as before";
  return {
    title: "Preview: look at lists",
    subject: "Block lists",
    sentence: `are looked at ${words}.`,
    button: "Look at them so",
    done: `are looked at ${words}.`,
    request: () => ({ method: "PUT", path: `${BLOCK}/setRefresh`, query: { seconds } }),
  };
}

function refuseRebinding(on: boolean): Action {
  return {
    title: `Preview: names that lead home ${on ? "refused" : "answered"}`,
    subject: "Names of the Internet",
    sentence: on
      ? "that lead to an address at home are not answered."
      : "may lead to addresses at home. A page outside can then reach devices here by a browser.",
    button: on ? "Refuse them" : "Answer them",
    danger: !on,
    done: on ? "that lead home are not answered." : "may lead home.",
    request: () => ({
      method: "PUT",
      path: `${BLOCK}/disableRebinding`,
      query: { value: String(!on) },
    }),
  };
}

function leaveAlone(address: string, alone: boolean): Action {
  return {
    title: `Preview: block ${alone ? "nothing for a device" : "for a device again"}`,
    subject: clientWord(address),
    sentence: alone
      ? "is answered whatever lists and overrides say."
      : "has names blocked as the others do.",
    button: alone ? "Block nothing for it" : "Block for it again",
    done: alone ? "is answered whatever lists say." : "has names blocked again.",
    request: () => ({
      method: alone ? "PUT" : "DELETE",
      path: `${BLOCK}/exclusions`,
      body: address,
    }),
  };
}
