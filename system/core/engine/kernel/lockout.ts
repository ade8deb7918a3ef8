import type { Caller, Planner } from "../change.ts";
import type { Desired } from "../../kernel/desired.ts";
import { inRange4, parseAddress, parseIpv4, parseRange4 } from "../../net/net.ts";
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
    { refusal: "lockout", rule: rule ?? null, source: caller.connection!.source },
  );
}

/** Two states, and how the kernel answers a source. */
export type PathCheck = Pick<LockoutCheck<unknown>, "before" | "after" | "routeTo">;

/**
 * What of the very way by which a caller talks to the router would change, in words for people: the
 * router's address, its link, or the route back. Null when nothing of it does.
 */
export async function callerPathChange(
  caller: Caller,
  { before, after, routeTo }: PathCheck,
): Promise<string | null> {
  const { connection } = caller;
  if (connection === null || isLoopback(connection.source)) return null;
  const { source, destination } = connection;
  const old = linksWith(before, destination);
  if (old.length === 0 && !before.facts?.addresses.includes(destination)) return null;
  const now = linksWith(after, destination);
  if (old.length > 0 && !old.some((link) => now.includes(link))) {
    return `the address ${destination}`;
  }
  const link = await routeTo(source);
  if (link === null) return null;
  if (isUp(before, link) !== isUp(after, link)) return `the link ${link}`;
  const moved = defaultRoute(before) !== defaultRoute(after) &&
    before.routes.some((route) => route.destination === "default" && route.link === link) &&
    !isBeside(before, link, source);
  return moved ? `the route back to ${source}` : null;
}

/** The refusal of such a change where it is neither forced nor under a window. */
export function pathRefusal(what: string): Problem {
  return conflict(
    `This changes ${what}, which you are using yourself. Confirm it within a window, or force it`,
    { refusal: "path", uses: what },
  );
}

/** Links that have an address, without regard to its prefix. */
function linksWith(desired: Desired, address: string): readonly string[] {
  return desired.addresses.filter((one) => one.address.split("/")[0] === address)
    .map((one) => one.link);
}

/** Whether the state asks for the link to be up; null where it has no say. */
function isUp(desired: Desired, name: string): boolean | null {
  return desired.links.find((link) => link.name === name)?.up ?? null;
}

function defaultRoute(desired: Desired): string {
  const route = desired.routes.find(({ destination }) => destination === "default");
  return route ? `${route.via} ${route.link}` : "";
}

/** True for a source in a network of the link itself: no gateway is on its way. */
function isBeside(desired: Desired, link: string, source: string): boolean {
  const value = parseIpv4(source);
  return value !== null && desired.addresses.some((one) => {
    const range = one.link === link ? parseRange4(one.address) : null;
    return range !== null && inRange4(range, value);
  });
}

/** True for the machine itself: 127.0.0.0/8, ::1, and the mapped form of the first (RFC 4291 2.5.5.2). */
function isLoopback(text: string): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  if (address.family === 4) return address.value >> 24n === 127n;
  return address.value === 1n || address.value >> 24n === 0xffff7fn;
}
