import type { VNode } from "preact";
import { signal } from "@preact/signals";
import { late } from "../parts/load/lazy.tsx";

const TakeOverView = late(async () => (await import("./takeover_dialog.tsx")).TakeOverView);

/** What stands in the way, while somebody is asked whether to take it over; null while nobody is. */
export const takeOverAsked = signal<string | null>(null);

/** Asks whether to take tables of our names over from whoever made them. */
export function TakeOver({ detail }: { detail: string | null }): VNode {
  return (
    <button class="btn small" type="button" onClick={() => takeOverAsked.value = detail ?? ""}>
      Take it over
    </button>
  );
}

/** The box of {@link TakeOver}, outside of the banner. */
export function TakeOverDialog(): VNode | null {
  return takeOverAsked.value === null ? null : <TakeOverView detail={takeOverAsked.value} />;
}
