import type { VNode } from "preact";
import { approving } from "../../../actions/approve.ts";
import { lazyPart } from "../../../parts/load/lazy.tsx";

const Sheet = lazyPart(async () => (await import("./sheet.tsx")).ApprovalSheet);

/** The approval sheet, while it is open over any page. */
export function Approval(): VNode | null {
  const identities = approving.value;
  return identities === null ? null : <Sheet key={identities.join()} identities={identities} />;
}
