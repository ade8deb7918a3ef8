import type { VNode } from "preact";
import { policyChips } from "../../text/policies.ts";
import type { Device } from "../../wire.ts";
import { Name } from "./name.tsx";
import { t } from "../../text/language.ts";

const SHOWN = 3;

/** What a device may use; more than three fold to "+2". */
export function PolicyChips({ device }: { device: Device }): VNode {
  const chips = policyChips(device);
  const rest = chips.slice(SHOWN);
  return (
    <span class="chips">
      {chips.length === 0 && <span class="quiet">{t("none")}</span>}
      {chips.slice(0, SHOWN).map(({ text, tone }) => (
        <span key={text} class={`chip ${tone}`}>{text}</span>
      ))}
      {rest.length > 0 && (
        <span class="chip" title={rest.map(({ text }) => text).join(", ")}>
          +{rest.length}
          <span class="vh">: {rest.map(({ text }) => text).join(", ")}</span>
        </span>
      )}
    </span>
  );
}

/** A group or tag. */
export function Label({ children }: { children: string }): VNode {
  return (
    <span class="chip line">
      <Name>{children}</Name>
    </span>
  );
}
