import type { VNode } from "preact";
import { useSignal } from "@preact/signals";
import { applySmall } from "../../act.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Fault } from "../../parts/fault.tsx";
import { Icon } from "../../parts/icon.tsx";
import { wordsOf } from "../../problem.ts";
import type { Device } from "../../wire.ts";
import { styleDevice } from "./acts.ts";
import { COLOURS, glyphOf, ICONS } from "./glyph.ts";

/** A box that gives a device another outline and colour; nobody's access changes by it. */
export function LookDialog(
  { identity, device, onClose }: { identity: string; device: Device; onClose: () => void },
): VNode {
  const icon = useSignal(device.Style?.Icon ?? "");
  const colour = useSignal(device.Style?.Color ?? "");
  const problem = useSignal<string | null>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    try {
      await applySmall(styleDevice(identity, icon.value, colour.value));
      onClose();
    } catch (error) {
      problem.value = wordsOf(error);
    }
  }

  return (
    <Dialog kind="box" title="Look" onClose={onClose}>
      <form class="inner form" onSubmit={(event) => void submit(event)}>
        {problem.value && <Fault title="The look was not changed.">{problem.value}</Fault>}
        <fieldset class="field">
          <legend class="label">Icon</legend>
          <div class="tiles">
            {[["", "By its name"] as const, ...ICONS].map(([value, words]) => (
              <label key={value} title={words}>
                <input
                  type="radio"
                  name="icon"
                  aria-label={words}
                  checked={icon.value === value}
                  onChange={() =>
                    icon.value = value}
                />
                <Icon
                  name={value === ""
                    ? glyphOf({ ...device, Style: { Icon: "", Color: "" } })
                    : value}
                />
              </label>
            ))}
          </div>
          <span class="help">
            {ICONS.find(([value]) => value === icon.value)?.[1] ?? "By its name"}
          </span>
        </fieldset>
        <fieldset class="field">
          <legend class="label">Colour</legend>
          <div class="tiles">
            {[["", "None"] as const, ...COLOURS].map(([value, words]) => (
              <label key={value} title={words}>
                <input
                  type="radio"
                  name="colour"
                  aria-label={words}
                  checked={colour.value === value}
                  onChange={() =>
                    colour.value = value}
                />
                <span class={`swatch ${value}`} />
              </label>
            ))}
          </div>
          <span class="help">
            {COLOURS.find(([value]) => value === colour.value)?.[1] ?? "None"}
          </span>
        </fieldset>
        <div class="row">
          <button class="btn primary" type="submit">Keep this look</button>
          <button class="btn" type="button" onClick={onClose}>Back</button>
        </div>
      </form>
    </Dialog>
  );
}
