import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { CheckField, SelectField } from "../../parts/form/choice_field.tsx";
import { Label, PolicyChips } from "../../parts/show/chips.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Field } from "../../parts/form/field.tsx";
import { Icon } from "../../parts/show/icon.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Menu } from "../../parts/overlay/menu.tsx";
import { StateMark, stateText } from "../../parts/show/state_mark.tsx";
import { Switch } from "../../parts/form/switch.tsx";
import { say } from "../../state/toast.ts";
import type { State } from "../../text/format.ts";
import { Panel } from "./panel.tsx";
import { DEVICES } from "./samples.ts";

const STATES: readonly State[] = ["online", "offline", "pending", "blocked"];

/** Buttons, chips, states, switches and a menu. */
export function Buttons(): VNode {
  const on = useSignal(true);
  return (
    <Panel title="Buttons, chips, states">
      <div class="row wrap">
        <button class="btn primary" type="button">Keep it</button>
        <button class="btn" type="button">Cancel</button>
        <button class="btn text" type="button">Quiet</button>
        <button class="btn danger" type="button">Block</button>
        <button class="btn danger solid" type="button">Delete device</button>
        <button class="btn" type="button" disabled>Not now</button>
        <Menu
          label="More acts"
          items={[
            {
              text: "Rename",
              icon: "people",
              onChoose: () => say({ text: "Rename was chosen." }),
            },
            { text: "Devices", icon: "devices", href: "/admin/devices" },
            { text: "Delete", icon: "x", danger: true, apart: true, onChoose: () => {} },
          ]}
        >
          <Icon name="more" small />
          More
        </Menu>
      </div>
      {DEVICES.map((device) => <PolicyChips key={device.Name} device={device} />)}
      <div class="chips wrap">
        <Label>school</Label>
        <span class="chip success">In part</span>
      </div>
      <div class="row wrap">
        {STATES.map((state) => (
          <span key={state} class="state">
            <StateMark state={state} />
            {stateText(state)}
          </span>
        ))}
      </div>
      <div class="row wrap">
        <Switch label="Internet" on={on.value} onFlip={() => on.value = !on.value} />
        <Switch label="Quarantine" hold on onFlip={() => {}} />
        <Switch label="Not possible" disabled on={false} onFlip={() => {}} />
      </div>
    </Panel>
  );
}

/** Fields with help, with a fault, and with a choice. */
export function Fields(): VNode {
  const text = useSignal("192.168.2.300");
  const tick = useSignal(true);
  return (
    <Panel title="Fields">
      <Field label="Name" help="Also its DNS name" value="Hallway display" onValue={() => {}} />
      <Field
        label="Forward to"
        problem="192.168.2.300 is not an address. Did you mean 192.168.2.30?"
        value={text.value}
        onValue={(value) => text.value = value}
      />
      <SelectField
        label="Protocol"
        value="tcp"
        options={[["tcp", "TCP"], ["udp", "UDP"]]}
        onValue={() => {}}
      />
      <CheckField
        label="Switched on"
        help="Without this the rule is kept and does nothing"
        value={tick.value}
        onValue={(value) => tick.value = value}
      />
    </Panel>
  );
}

/** Nothing there yet, loading, and what went wrong. */
export function Waits(): VNode {
  return (
    <>
      <Panel title="Loading, after 300 ms">
        <Loading what="a sample" rows={3} />
      </Panel>
      <section class="panel empty" aria-label="Empty">
        <Icon name="gate" />
        <h2>No forwards yet</h2>
        <p class="s soft">Without any, nothing outside can start a connection to your home.</p>
        <button class="btn" type="button">
          <Icon name="plus" small />
          New forward
        </button>
      </section>
      <Fault title="The rules could not be loaded.">What was decided is still in force.</Fault>
      <Fault warning title="Changed by someone else.">Look again.</Fault>
    </>
  );
}
