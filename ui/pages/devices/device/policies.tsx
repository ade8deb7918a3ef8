import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { openPreview } from "../../../actions/action.ts";
import { Switch } from "../../../parts/form/switch.tsx";
import type { Device } from "../../../wire.ts";
import { ACCESS, BLOCKED, type Policy, QUARANTINE } from "../../../text/policies.ts";
import { isBlocked, isPendingApproval } from "../../../text/format.ts";
import { blockDevice, flipPolicy } from "./actions.ts";

/** What a device may do, one switch each; a flip opens its preview. */
export function Policies({ identity, device }: { identity: string; device: Device }): VNode {
  const held = isBlocked(device)
    ? "no access while blocked"
    : device.Policies.includes("quarantine")
    ? "router access only while in quarantine"
    : isPendingApproval(device)
    ? "none yet"
    : "everything else is blocked";
  return (
    <section class="panel" aria-labelledby="may">
      <header>
        <h2 id="may">Access</h2>
        <span class="note">{held}</span>
      </header>
      <ul class="setting-list">
        {ACCESS.map((policy) => {
          const on = device.Policies.includes(policy.name) !== policy.inverted;
          return (
            <Line
              key={policy.name}
              policy={policy}
              on={on}
              onFlip={() => openPreview(flipPolicy(identity, policy, !on))}
            />
          );
        })}
      </ul>
    </section>
  );
}

/** The restrictions of a device. */
export function Restrictions({ identity, device }: { identity: string; device: Device }): VNode {
  const quarantined = device.Policies.includes(QUARANTINE.name);
  const blocked = isBlocked(device);
  return (
    <section class="panel" aria-labelledby="hold">
      <header>
        <h2 id="hold">Restrictions</h2>
        <span class="note">take precedence over access</span>
      </header>
      <ul class="setting-list">
        <Line
          hold
          policy={QUARANTINE}
          on={quarantined}
          onFlip={() => openPreview(flipPolicy(identity, QUARANTINE, !quarantined))}
        />
        <Line
          hold
          policy={BLOCKED}
          on={blocked}
          onFlip={() => openPreview(blockDevice(identity, BLOCKED, !blocked))}
        />
      </ul>
    </section>
  );
}

function Line(
  { policy, on, onFlip, hold }: {
    policy: Policy;
    on: boolean;
    onFlip: () => void;
    hold?: boolean;
  },
): VNode {
  const id = useId();
  return (
    <li>
      <div>
        <b>{policy.title}</b>
        <p id={id}>{policy.description}</p>
      </div>
      <Switch
        label={policy.title}
        on={on}
        onFlip={onFlip}
        describedBy={id}
        {...(hold ? { hold } : {})}
      />
    </li>
  );
}
