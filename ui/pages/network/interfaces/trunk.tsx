import type { VNode } from "preact";
import { openPreview } from "../../../actions/action.ts";
import { Switch } from "../../../parts/form/switch.tsx";
import type { Link } from "./wire.ts";

/** Whether a downlink is a VLAN trunk. */
export function Trunk({ link, onDone }: { link: Link; onDone: () => void }): VNode {
  const on = link.Subtype === "VLAN-Trunk";
  const state = on ? "disable" : "enable";
  return (
    <section aria-labelledby="trunk">
      <h3 id="trunk">VLANs</h3>
      <ul class="setting-list">
        <li>
          <div>
            <b>VLAN trunk</b>
            <p>Each VLAN tag becomes its own interface</p>
          </div>
          <Switch
            label={`VLAN trunk on ${link.Name}`}
            on={on}
            onFlip={() =>
              openPreview({
                title: `Preview: ${link.Name}`,
                subject: link.Name,
                sentence: on ? "is no longer a VLAN trunk." : "is a VLAN trunk.",
                button: on ? "Disable trunk" : "Enable trunk",
                done: on ? "is no longer a VLAN trunk." : "is a VLAN trunk.",
                confirmWithin: 90,
                after: onDone,
                request: () => ({
                  method: "PUT",
                  path: `/link/vlan/${encodeURIComponent(link.Name)}/${state}`,
                }),
              })}
          />
        </li>
      </ul>
    </section>
  );
}
