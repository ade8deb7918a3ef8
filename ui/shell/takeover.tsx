import type { VNode } from "preact";
import { signal } from "@preact/signals";
import { lazyPart } from "../parts/load/lazy.tsx";
import { t } from "../text/language.ts";

const TakeoverDialog = lazyPart(async () => (await import("./takeover_dialog.tsx")).TakeoverDialog);

/** What stands in the way, while its dialog is open; null while it is not. */
export const takeoverDetail = signal<string | null>(null);

/** Asks whether to take tables of our names over from the program that made them. */
export function TakeoverButton({ detail }: { detail: string | null }): VNode {
  return (
    <button
      class="btn small"
      type="button"
      onClick={() => takeoverDetail.value = detail ?? ""}
    >
      {t("Take over")}
    </button>
  );
}

/** The box of {@link TakeoverButton}, outside of the banner. */
export function Takeover(): VNode | null {
  return takeoverDetail.value === null ? null : <TakeoverDialog detail={takeoverDetail.value} />;
}
