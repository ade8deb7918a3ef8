import type { ComponentChildren, VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Chart } from "../../parts/chart.tsx";
import { CheckField, SelectField } from "../../parts/choice_field.tsx";
import { Label, PolicyChips } from "../../parts/chips.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Diff } from "../../parts/diff.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Field } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Loading } from "../../parts/loading.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Qr } from "../../parts/qr.tsx";
import { Sparkline } from "../../parts/sparkline.tsx";
import { StateMark, stateWord } from "../../parts/state_mark.tsx";
import { Switch } from "../../parts/switch.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { trial } from "../../store.ts";
import { say } from "../../toast.ts";
import { type State } from "../../words.ts";
import { useTitle } from "../page_title.ts";
import { DEVICES, HOURS, PATCH, SYSTEM } from "./samples.ts";

const STATES: readonly State[] = ["online", "offline", "waiting", "blocked"];

/** Every part in every state, for whoever builds pages; not in the bundle that is shipped. */
export default function PartsPage(): VNode {
  useTitle("Parts");
  return (
    <>
      <div class="head">
        <div>
          <h1>Parts</h1>
          <p>Every part in every state</p>
        </div>
      </div>
      <div class="cols half">
        <div class="stack">
          <Buttons />
          <Fields />
          <Overlays />
          <Panel title="Lines before and after">
            <Diff patch={PATCH} system={SYSTEM} />
          </Panel>
        </div>
        <div class="stack">
          <Numbers />
          <Views />
          <Panel title="QR">
            <Qr text="WIFI:T:WPA;S:Harbour;P:slate-otter-94;;" label="QR code of a sample" />
          </Panel>
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
          <Fault heed title="Someone else changed it a moment ago.">Look again.</Fault>
        </div>
      </div>
    </>
  );
}

function Panel({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      <div class="pad form">{children}</div>
    </section>
  );
}

function Buttons(): VNode {
  const on = useSignal(true);
  return (
    <Panel title="Buttons, chips, states">
      <div class="row wrap">
        <button class="btn primary" type="button">Keep it</button>
        <button class="btn" type="button">Back</button>
        <button class="btn text" type="button">Quiet</button>
        <button class="btn danger" type="button">Block</button>
        <button class="btn danger solid" type="button">Delete device</button>
        <button class="btn" type="button" disabled>Not now</button>
      </div>
      {DEVICES.map((device) => <PolicyChips key={device.Name} device={device} />)}
      <div class="chips wrap">
        <Label>school</Label>
        <span class="chip open">In part</span>
      </div>
      <div class="row wrap">
        {STATES.map((state) => (
          <span key={state} class="state">
            <StateMark state={state} />
            {stateWord(state)}
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

function Fields(): VNode {
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

function Numbers(): VNode {
  const values = HOURS.map((_, at) => (at * 37) % 90);
  return (
    <Panel title="Numbers">
      <span class="beside">
        3 of 5 online <Meter value={3} of={5} label="3 of 5 devices online" />
      </span>
      <span class="beside">
        12 Mb/s <Sparkline values={values} label="The last day; most at 20:00" />
      </span>
      <Chart
        label="Throughput of a day in megabits per second"
        unit="Mb/s"
        times={HOURS}
        up={{ word: "Down", values: values.map((value) => value * 4) }}
        down={{ word: "Up", values }}
      />
    </Panel>
  );
}

function Views(): VNode {
  const chosen = useSignal("access");
  return (
    <Panel title="Tabs">
      <Tabs
        label="Views of a device"
        tabs={[["access", "Access"], ["traffic", "Traffic"], ["history", "History"]]}
        chosen={chosen.value}
        onChoose={(name) => chosen.value = name}
      >
        <p class="s">What belongs to {chosen.value}.</p>
      </Tabs>
    </Panel>
  );
}

function Overlays(): VNode {
  const open = useSignal<"box" | "drawer" | null>(null);
  return (
    <Panel title="Over the page">
      <div class="row wrap">
        <button class="btn" type="button" onClick={() => open.value = "box"}>Dialog</button>
        <button class="btn" type="button" onClick={() => open.value = "drawer"}>Drawer</button>
        <button
          class="btn"
          type="button"
          onClick={() => say({ subject: "Kids’ tablet", text: "joined kids.", undo: "sample" })}
        >
          Toast
        </button>
        <button class="btn" type="button" onClick={startTrial}>Trial</button>
      </div>
      {open.value && (
        <Dialog
          kind={open.value}
          title="Preview: Internet off"
          note="Nothing has changed yet"
          onClose={() => open.value = null}
        >
          <div class="inner body">
            <p class="pad">What will change stands here.</p>
          </div>
        </Dialog>
      )}
    </Panel>
  );
}

function startTrial(): void {
  trial.value = {
    id: "sample",
    summary: "Move lan3 to the guests",
    endsAt: performance.now() + 90_000,
    until: Date.now() + 90_000,
    from: 90,
  };
}
