import type { Config } from "../config.ts";
import { notFound, sentence } from "../core/errors/problem.ts";
import { withoutDevices } from "./device.ts";
import { replaceDevices } from "./expiry/removed_devices.ts";
import type { Device } from "./schema.ts";
import type { BulkDeleteResult } from "./wire.ts";

/** Takes one device away. Throws Problem 404, and what the precondition throws. */
export function deleteDevice(
  config: Config,
  identity: string,
  precondition?: (before: Device) => void,
): [Config, void] {
  const before = config.devices[identity];
  if (before === undefined) throw notFound(sentence("There is no device {identity}", { identity }));
  precondition?.(before);
  return [without(config, [identity]), undefined];
}

/** Takes many devices away; those that are not there are skipped. */
export function deleteDevices(
  config: Config,
  identities: readonly string[],
): [Config, BulkDeleteResult] {
  const deleted = [...new Set(identities)].filter((identity) =>
    Object.hasOwn(config.devices, identity)
  );
  const result = { deleted, count: deleted.length };
  if (deleted.length === 0) return [config, result];
  return [without(config, deleted), result];
}

function without(config: Config, identities: readonly string[]): Config {
  return replaceDevices(config, withoutDevices(config.devices, new Set(identities)));
}
