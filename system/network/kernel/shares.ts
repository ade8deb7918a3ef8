import type { PatchEntry } from "../../core/engine/change.ts";
import type { IpOp, KernelPlan, KernelStep, RulesetOp } from "../../core/kernel/plan.ts";
import { formatIpv4, parseIpv4 } from "../../core/net/net.ts";

/**
 * The share of each of several changes in the plan of them all; null where that cannot be told from the
 * plan. It can where each does nothing but add devices, as clients that come at once do: the addresses
 * of a device say what is its own. Costs as much as the plan is long.
 */
export function shares(
  plan: KernelPlan,
  patches: readonly (readonly PatchEntry[])[],
): readonly KernelPlan[] | null {
  const owners = addressOwners(patches);
  if (owners === null) return null;
  const steps = patches.map((): KernelStep[] => []);
  for (const step of plan.steps) {
    const parts = partsOf(step, owners);
    if (parts === null) return null;
    for (const [owner, part] of parts) steps[owner]!.push(part);
  }
  return steps.map((own) => ({ steps: own, recheck: [] }));
}

/** Which change each address belongs to: a device's own, and the router's with it as it is set. */
type Owners = ReadonlyMap<string, number>;

/** Null where a change does anything else than add devices, each with an address of its own. */
function addressOwners(patches: readonly (readonly PatchEntry[])[]): Owners | null {
  const owners = new Map<string, number>();
  for (const [owner, patch] of patches.entries()) {
    for (const entry of patch) {
      const address = addressOfNew(entry);
      if (address === null || owners.has(formatIpv4(address))) return null;
      owners.set(formatIpv4(address), owner);
      owners.set(`${formatIpv4(address - 1)}/30`, owner);
    }
  }
  return owners;
}

/** The address of a device that is added; null for every other change. */
function addressOfNew({ document, path, ...values }: PatchEntry): number | null {
  if (document !== "devices" || path.length !== 1 || "before" in values) return null;
  const { after } = values;
  return typeof after === "object" && after !== null && "RecentIP" in after
    ? parseIpv4(String(after.RecentIP))
    : null;
}

/** A step's part of each change; null where something in it belongs to none of them alone. */
function partsOf(step: KernelStep, owners: Owners): ReadonlyMap<number, KernelStep> | null {
  if (step.kind === "ip") {
    const ops = apart(step.ops, (op) => owners.get(addressOf(op)));
    return ops && mapped(ops, (own) => ({ kind: "ip", ops: own }));
  }
  if (step.kind !== "ruleset") return null;
  const ops = new Map<number, RulesetOp[]>();
  for (const op of step.ops) {
    if (op.op !== "add-elements") return null;
    const elements = apart(op.elements, ({ key }) => owners.get(key[0] ?? ""));
    if (elements === null) return null;
    for (const [owner, own] of elements) {
      ops.set(owner, [...ops.get(owner) ?? [], { ...op, elements: own }]);
    }
  }
  return mapped(ops, (own) => ({ kind: "ruleset", ops: own }));
}

/** The address that an operation is about; "" where it is about something else. */
function addressOf(op: IpOp): string {
  if (op.op === "add-address") return op.address;
  return op.op === "replace-neighbour" ? op.neighbour.address : "";
}

/** Items by their owner, in their order; null where one has none. */
function apart<T>(
  items: readonly T[],
  ownerOf: (item: T) => number | undefined,
): ReadonlyMap<number, readonly T[]> | null {
  const parts = new Map<number, T[]>();
  for (const item of items) {
    const owner = ownerOf(item);
    if (owner === undefined) return null;
    const part = parts.get(owner);
    if (part === undefined) parts.set(owner, [item]);
    else part.push(item);
  }
  return parts;
}

function mapped<A, B>(map: ReadonlyMap<number, A>, by: (value: A) => B): ReadonlyMap<number, B> {
  return new Map([...map].map(([owner, value]) => [owner, by(value)]));
}
