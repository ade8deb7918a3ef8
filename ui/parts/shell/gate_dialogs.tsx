import type { VNode } from "preact";
import { asking } from "../../session.ts";
import { late } from "./late.tsx";

const GateView = late(async () => (await import("./gate_view.tsx")).GateView);

/** What asks to sign in again or for a code, while somebody is asked. */
export function GateDialogs(): VNode | null {
  return asking.value === null ? null : <GateView />;
}
