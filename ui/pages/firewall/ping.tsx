import type { VNode } from "preact";
import { openPreview } from "../../actions/action.ts";
import { Switch } from "../../parts/form/switch.tsx";
import { switchPing } from "./actions.ts";
import type { Firewall } from "./wire.ts";

const SIDES = [
  ["PingLan", "Answer ping on LAN", "Devices can ping this router"],
  ["PingWan", "Answer ping on WAN", "The Internet can ping this router"],
] as const;

/** Whether the router answers pings. */
export function Ping({ firewall, onDone }: { firewall: Firewall; onDone: () => void }): VNode {
  return (
    <section class="panel" aria-labelledby="ping">
      <header>
        <h2 id="ping">Ping</h2>
        <span class="note">of this router</span>
      </header>
      <ul class="setting-list">
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
