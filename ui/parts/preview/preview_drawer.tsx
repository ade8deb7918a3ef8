import type { VNode } from "preact";
import { drawer } from "../../actions/action.ts";
import { late } from "../load/lazy.tsx";

const PreviewView = late(async () => (await import("./preview_view.tsx")).PreviewView);

/** The drawer before a write, while one is open. */
export function PreviewDrawer(): VNode | null {
  const open = drawer.value;
  return open === null ? null : <PreviewView key={open.act.title} open={open} />;
}
