import type { VNode } from "preact";
import { openPreview } from "../../../actions/action.ts";
import { Switch } from "../../../parts/form/switch.tsx";
import type { Link } from "./wire.ts";

/** Whether a downlink carries tagged devices. */
export function Trunk({ link, onDone }: { link: Link; onDone: () => void }): VNode {
  const on = link.Subtype === "VLAN-Trunk";
  const state = on ? "disable" : "enable";
  return (
    <section aria-labelledby="trunk">
      <h3 id="trunk">VLANs</h3>
      <ul class="may">
        <li>
          <div>
            <b>Carry tagged devices</b>
            <p>Each VLAN tag that a device has becomes a link of its own</p>
          </div>
          <Switch
            label={`${link.Name} carries tagged devices`}
            on={on}
            onFlip={() =>
              openPreview({
                title: `Preview: ${link.Name}`,
                subject: link.Name,
                sentence: on ? "carries no tagged devices any more." : "carries tagged devices.",
                button: on ? "Carry none" : "Carry them",
                done: on ? "carries no tagged devices." : "carries tagged devices.",
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
