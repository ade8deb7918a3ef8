import type { VNode } from "preact";
import { openPreview } from "../../actions/action.ts";
import { Switch } from "../../parts/form/switch.tsx";
import { switchPing } from "./actions.ts";
import type { Firewall } from "./wire.ts";

const SIDES = [
  ["PingLan", "Pings from home", "Devices can ask whether this router is there"],
  ["PingWan", "Pings from uplinks", "So can anyone who reaches an uplink"],
] as const;

/** Whether the router answers pings. */
export function Ping({ firewall, onDone }: { firewall: Firewall; onDone: () => void }): VNode {
  return (
    <section class="panel" aria-labelledby="ping">
      <header>
        <h2 id="ping">Ping</h2>
        <span class="note">whether this router answers</span>
      </header>
      <ul class="may">
        {SIDES.map(([side, label, help]) => (
          <li key={side}>
            <div>
              <b>{label}</b>
              <p>{help}</p>
            </div>
            <Switch
              label={label}
              on={firewall[side]}
              onFlip={() => openPreview(switchPing(firewall, side, onDone))}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
