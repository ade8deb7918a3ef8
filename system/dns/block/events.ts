import type { Verdict } from "./verdict_schema.ts";

/** Something of blocking that subscribers of the event bus are told; names with their final dot. */
export type BlockEvent =
  | {
    readonly topic: "dns:block:event";
    readonly data: { readonly ClientIP: string; readonly Name: string };
  }
  | {
    readonly topic: "dns:override:event";
    /** `IP`: the address or the name that was answered; "" for neither. */
    readonly data: { readonly ClientIP: string; readonly IP: string; readonly Name: string };
  }
  | {
    readonly topic: "dns:blockrebind:event";
    readonly data: { readonly ClientIP: string; readonly BlockedIP: string; readonly Name: string };
  };

/** What subscribers are told of a verdict; null for nothing. */
export function verdictEvent(
  verdict: Verdict,
  { client, name }: { readonly client: string; readonly name: string },
): BlockEvent | null {
  const data = { ClientIP: client, Name: name };
  if (verdict.kind === "block") return { topic: "dns:block:event", data };
  if (verdict.kind !== "answer") return null;
  const IP = verdict.address ?? verdict.cname ?? "";
  return { topic: "dns:override:event", data: { ...data, IP } };
}

/** What subscribers are told of an answer that would have led home. */
export function rebindingEvent(
  asked: { readonly client: string; readonly name: string; readonly address: string },
): BlockEvent {
  const data = { ClientIP: asked.client, BlockedIP: asked.address, Name: asked.name };
  return { topic: "dns:blockrebind:event", data };
}
