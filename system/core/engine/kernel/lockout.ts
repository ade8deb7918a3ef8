import type { Caller, Planner } from "../change.ts";
import type { Desired } from "../../kernel/desired.ts";
import { parseAddress } from "../../net/net.ts";
import { conflict, type Problem } from "../../errors/problem.ts";
import type { PacketTrace } from "../../kernel/ruleset.ts";

/** Two states between which a caller's connection is judged. */
export interface LockoutCheck<C> {
  readonly planner: Planner<C>;
  /** The interface that the kernel would answer a source on; null when it has none. */
  readonly routeTo: (source: string) => Promise<string | null>;
  readonly before: Desired;
  readonly after: Desired;
}

/** What becomes of the caller's own connection, before and after; null when there is none to lose. */
export async function traceCaller<C>(
  caller: Caller,
  question: LockoutCheck<C>,
): Promise<{ readonly before: PacketTrace; readonly after: PacketTrace } | null> {
  const connection = caller.connection;
  if (connection === null || isLoopback(connection.source)) return null;
  const iif = await question.routeTo(connection.source);
  const judged = (desired: Desired): PacketTrace =>
    question.planner.trace(
      desired,
      question.planner.firstPacket(desired, {
        source: connection.source,
        destination: connection.destination,
        protocol: "tcp",
        dport: connection.port,
        ...(iif === null ? {} : { iif }),
      }),
    );
  return { before: judged(question.before), after: judged(question.after) };
}

/** The refusal of a change that would lock its caller out, or null when it would not. */
export async function lockout<C>(
  caller: Caller,
  question: LockoutCheck<C>,
): Promise<Problem | null> {
  const own = await traceCaller(caller, question);
  if (own === null || own.before.verdict !== "accept" || own.after.verdict === "accept") {
    return null;
  }
  const rule = own.after.steps.findLast((step) => step.outcome === own.after.verdict);
  const because = rule?.comment ?? "nothing would accept it any more";
  return conflict(
    `This would lock you out: your own connection from ${
      caller.connection!.source
    } would be refused (${because}). Confirm it within a window, or force it`,
    { rule: rule ?? null, source: caller.connection!.source },
  );
}

/** True for the machine itself: 127.0.0.0/8, ::1, and the mapped form of the first (RFC 4291 2.5.5.2). */
export function isLoopback(text: string): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  if (address.family === 4) return address.value >> 24n === 127n;
  return address.value === 1n || address.value >> 24n === 0xffff7fn;
}
