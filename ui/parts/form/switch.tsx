import type { VNode } from "preact";

/** A switch that asks: it moves only once its change is applied. */
export function Switch(
  { label, on, onFlip, describedBy, hold, disabled }: {
    label: string;
    on: boolean;
    onFlip: () => void;
    describedBy?: string | undefined;
    /** A restriction, so that "on" is a warning. */
    hold?: boolean;
    disabled?: boolean;
  },
): VNode {
  return (
    <button
      class={hold ? "switch hold" : "switch"}
      type="button"
      role="switch"
      aria-checked={on}
      aria-label={label}
      aria-describedby={describedBy}
      aria-disabled={disabled ? true : undefined}
      onClick={disabled ? undefined : onFlip}
    />
  );
}
