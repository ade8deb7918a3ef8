import type { Config } from "../../config.ts";
import { type NamedPolicy, switchText } from "../../devices/policies.ts";
import type { Device } from "../../devices/schema.ts";
import { updateDevice } from "../../devices/update.ts";
import { DeviceUpdate } from "../../devices/wire.ts";
import { deviceName } from "../ends.ts";
import type { ReachAnswer, ReachEnd, ReachQuery } from "../schema.ts";

/** A write that may turn an answer round. */
export interface ChangeCandidate {
  readonly summary: string;
  readonly method: "PUT" | "DELETE";
  readonly path: string;
  readonly body: unknown;
  /** What the route does to the configuration; throws Problem. */
  readonly reduce: (config: Config) => readonly [Config, unknown];
  /** The end to ask about afterwards, where it is another. */
  readonly to?: string;
}

/** A question with the answer that stands. */
export interface AnsweredQuery {
  readonly query: ReachQuery;
  readonly answer: ReachAnswer;
  readonly config: Config;
}

/** A device at one end. */
export interface DeviceEnd {
  readonly identity: string;
  readonly name: string;
  readonly device: Device;
}

/** The device at an end; null where there is none. */
export function deviceAt(end: ReachEnd, { devices }: Config): DeviceEnd | null {
  const { identity } = end;
  const device = identity === null ? undefined : devices[identity];
  if (identity === null || device === undefined) return null;
  return { identity, name: deviceName(devices, identity), device };
}

/** A `PUT /device`. */
export function setDevice(
  { identity }: DeviceEnd,
  summary: string,
  body: Partial<Pick<Device, "Policies" | "Groups" | "DeviceTags" | "DeviceDisabled">>,
): ChangeCandidate {
  return {
    summary,
    method: "PUT",
    path: `/device?identity=${encodeURIComponent(identity)}`,
    body,
    reduce: (config) =>
      updateDevice(config, {
        identity,
        update: DeviceUpdate.parse(body),
        copy: null,
        generated: "",
        now: 0,
      }),
  };
}

/** Gives a device a policy that it lacks; nothing where it holds it. */
export function addPolicy(end: DeviceEnd, policy: NamedPolicy): readonly ChangeCandidate[] {
  const { Policies } = end.device;
  if (Policies.includes(policy.name)) return [];
  const summary = `${switchText(policy, true)} for ${end.name}`;
  return [setDevice(end, summary, { Policies: [...Policies, policy.name] })];
}

/** Takes a policy from a device that holds it. */
export function removePolicy(end: DeviceEnd, policy: NamedPolicy): readonly ChangeCandidate[] {
  const { Policies } = end.device;
  if (!Policies.includes(policy.name)) return [];
  const summary = `${switchText(policy, false)} for ${end.name}`;
  return [setDevice(end, summary, { Policies: Policies.filter((one) => one !== policy.name) })];
}
