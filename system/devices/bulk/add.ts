import type { Config } from "../../config.ts";
import { invalid } from "../../core/errors/problem.ts";
import { sameDevice, titleOf, withGroups } from "../device.ts";
import type { Device } from "../schema.ts";
import { type BulkAdd, type BulkAddResult, MAX_LABELS } from "../wire.ts";

/**
 * Adds groups, tags and policies to many devices; unknown ones are skipped, only those that changed
 * are reported. Throws Problem 400 when there is nothing to add, or too much for one of them.
 */
export function bulkAdd(config: Config, request: BulkAdd): [Config, BulkAddResult] {
  const { Groups = [], Tags = [], Policies = [] } = request;
  if (Groups.length + Tags.length + Policies.length === 0) {
    throw invalid("", "Send at least one group, tag or policy to add");
  }
  const changed: Record<string, Device> = {};
  for (const identity of new Set(request.Identities)) {
    const before = config.devices[identity];
    if (before === undefined) continue;
    const after = {
      ...before,
      Groups: joined(before.Groups, Groups),
      DeviceTags: joined(before.DeviceTags, Tags),
      Policies: joined(before.Policies, Policies),
    };
    if (sameDevice(before, after)) continue;
    checkAmount("Groups", after.Groups, titleOf(identity, before));
    checkAmount("Tags", after.DeviceTags, titleOf(identity, before));
    changed[identity] = after;
  }
  const updated = Object.keys(changed);
  const result = { updated, count: updated.length };
  if (updated.length === 0) return [config, result];
  return [{
    ...config,
    devices: { ...config.devices, ...changed },
    groups: withGroups(config.groups, Groups),
  }, result];
}

function checkAmount(field: string, labels: readonly string[], title: string): void {
  if (labels.length <= MAX_LABELS) return;
  throw invalid(`/${field}`, `${title} would have ${labels.length}; ${MAX_LABELS} is the most`);
}

function joined<T extends string>(before: readonly T[], added: readonly T[]): T[] {
  return [...new Set([...before, ...added])];
}
