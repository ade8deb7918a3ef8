import type { VNode } from "preact";
import { reauthPrompt } from "../state/session.ts";
import { lazyPart } from "../parts/load/lazy.tsx";

const GateView = lazyPart(async () => (await import("./reauth_dialog.tsx")).ReauthDialog);

/** What asks to sign in again or for a code, while its dialog is open. */
export function Reauth(): VNode | null {
  return reauthPrompt.value === null ? null : <GateView />;
}
