import type { VNode } from "preact";
import { asking } from "../state/session.ts";
import { late } from "../parts/load/lazy.tsx";

const GateView = late(async () => (await import("./reauth_dialog.tsx")).GateView);

/** What asks to sign in again or for a code, while somebody is asked. */
export function GateDialogs(): VNode | null {
  return asking.value === null ? null : <GateView />;
}
