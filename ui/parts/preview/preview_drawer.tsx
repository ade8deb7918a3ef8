import type { VNode } from "preact";
import { openedPreview } from "../../actions/action.ts";
import { lazyPart } from "../load/lazy.tsx";

const PreviewView = lazyPart(async () => (await import("./preview_view.tsx")).PreviewView);

/** The drawer before a write, while one is open. */
export function PreviewDrawer(): VNode | null {
  const open = openedPreview.value;
  return open === null ? null : <PreviewView key={open.action.title} open={open} />;
}
