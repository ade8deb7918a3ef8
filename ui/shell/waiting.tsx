import type { VNode } from "preact";
import { openedPreview } from "../actions/action.ts";
import { slowRequests } from "../api/waiting.ts";
import { lazyPart } from "../parts/load/lazy.tsx";

const Bar = lazyPart(async () => (await import("./waiting_bar.tsx")).WaitingBar);

/**
 * Says that the router is at work while a request of a person's takes longer than two seconds. The
 * preview says so itself while it is applied, where also a screen reader finds it.
 */
export function Waiting(): VNode {
  const isShown = slowRequests.value > 0 && !openedPreview.value?.applying;
  return <div role="status">{isShown && <Bar />}</div>;
}
