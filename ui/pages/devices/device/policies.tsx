import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { CheckField } from "../../../parts/form/choice_field.tsx";
import { Switch } from "../../../parts/form/switch.tsx";
import type { Device } from "../../../wire.ts";
import { ACCESS, BLOCKED, closedFor, type Policy, QUARANTINE } from "../../../text/policies.ts";
import { momentText } from "../../../text/time.ts";
import { groups } from "../../../state/store.ts";
import { isBlocked, isPendingApproval } from "../../../text/format.ts";
import { appliesAtOnce, isOn, setAppliesAtOnce, stagedOf, stageSwitch } from "./staged.ts";
import { t } from "../../../text/language.ts";

/** What a device may do, one switch each; flips are staged until they are reviewed. */
export function Policies({ identity, device }: { identity: string; device: Device }): VNode {
  const closed = closedFor(device, groups.value ?? []);
  const held = isBlocked(device)
    ? t("no access while blocked")
    : device.Policies.includes("quarantine")
    ? t("router access only while in quarantine")
    : isPendingApproval(device)
    ? t("none yet")
    : t("everything else is blocked");
  return (
    <section class="panel" aria-labelledby="may">
      <header>
        <h2 id="may">{t("Access")}</h2>
        <span class="note">{held}</span>
      </header>
      {closed !== null && (
        <p class="pad s warning-t">
          {t("Access paused by the schedule of {group} until {moment}", {
            group: closed.group,
            moment: momentText(closed.until, Date.now()),
          })}
        </p>
      )}
      <ul class="setting-list">
        {ACCESS.map((policy) => (
          <Line key={policy.name} policy={policy} identity={identity} device={device} />
        ))}
      </ul>
      <footer>
        <CheckField
          label={t("Apply at once when nobody loses access")}
          value={appliesAtOnce.value}
          onValue={setAppliesAtOnce}
        />
      </footer>
    </section>
  );
}

/** The restrictions of a device. */
export function Restrictions({ identity, device }: { identity: string; device: Device }): VNode {
  return (
    <section class="panel" aria-labelledby="hold">
      <header>
        <h2 id="hold">{t("Restrictions")}</h2>
        <span class="note">{t("take precedence over access")}</span>
      </header>
      <ul class="setting-list">
        <Line hold policy={QUARANTINE} identity={identity} device={device} />
        <Line hold policy={BLOCKED} identity={identity} device={device} />
      </ul>
    </section>
  );
}

function Line(
  { policy, identity, device, hold }: {
    policy: Policy;
    identity: string;
    device: Device;
    hold?: boolean;
  },
): VNode {
  const id = useId();
  const edit = stagedOf(identity, device)?.switches.get(policy);
  const on = edit ?? isOn(policy, device);
  return (
    <li>
      <div>
        <b>{policy.title}</b>
        {edit !== undefined && <span class="chip warning">{t("not applied")}</span>}
        <p id={id}>{policy.description}</p>
      </div>
      <Switch
        label={policy.title}
        on={on}
        onFlip={() => stageSwitch(identity, policy, !on)}
        describedBy={id}
        {...(hold ? { hold } : {})}
      />
    </li>
  );
}
