import type { Config } from "../../config.ts";
import { invalid, notFound, sentence } from "../../core/errors/problem.ts";
import { titleOf } from "../device.ts";
import { type Policy, POLICY_NAMES } from "../policies.ts";
import { updateDevice } from "../update.ts";
import type { Approval, BulkAddResult, DeviceUpdate } from "../wire.ts";

/** Access that one call gives, as policies beside those about admin access. */
const PRESETS: Readonly<Record<Approval["Access"], readonly Policy[]>> = {
  internet: ["wan", "dns"],
  local: ["dns"],
  guest: ["wan", "dns", "guestonly"],
  blocked: [],
};

/** How each preset is called in the history. */
const TITLES: Readonly<Record<Approval["Access"], string>> = {
  internet: "Internet and DNS",
  local: "local only",
  guest: "guest",
  blocked: "blocked",
};

/** How long a guest has access unless an expiry is sent, in seconds. */
const GUEST_S = 86_400;

/**
 * Decides about several devices at once: each gets the access of the preset, without admin access, in
 * the place of what it had. `now`: unix seconds. Throws Problem 400 and 404.
 */
export function approveDevices(
  config: Config,
  request: Approval,
  now: number,
): [Config, BulkAddResult] {
  const identities = [...new Set(request.Identities)];
  if (request.Name !== undefined && identities.length > 1) {
    throw invalid("/Name", "Leave the name out where several devices are approved");
  }
  const updated: string[] = [];
  let next = config;
  for (const identity of identities) {
    const device = next.devices[identity];
    if (device === undefined) {
      throw notFound(sentence("There is no device {identity}", { identity }));
    }
    const update = { ...updateOf(request), DeviceTags: tagsOf(device.DeviceTags, request) };
    const [changed] = updateDevice(next, { identity, update, copy: null, generated: "", now });
    if (changed !== next) updated.push(identity);
    next = changed;
  }
  return [next, { updated, count: updated.length }];
}

function updateOf(
  { Access, Name, Style, Groups, DeviceExpiration, DeleteExpiration }: Approval,
): DeviceUpdate {
  const blocked = Access === "blocked";
  const expiration = DeviceExpiration ?? (Access === "guest" ? GUEST_S : undefined);
  return {
    Policies: POLICY_NAMES.filter((name) =>
      PRESETS[Access].includes(name) || name === "noapi" || (blocked && name === "disabled")
    ),
    AdminAccess: false,
    DeviceDisabled: blocked,
    ...(Name === undefined ? {} : { Name }),
    ...(Style === undefined ? {} : { Style }),
    ...(Groups === undefined ? {} : { Groups }),
    ...(expiration === undefined ? {} : { DeviceExpiration: expiration }),
    ...(DeleteExpiration === undefined ? {} : { DeleteExpiration }),
  };
}

/** The tag `guest` ends the access of guests that stay away; other presets take it off. */
function tagsOf(tags: readonly string[], { Access }: Approval): string[] {
  const others = tags.filter((tag) => tag !== "guest");
  return Access === "guest" ? [...others, "guest"] : others;
}

/** What the history says of an approval. */
export function approvalSummary(config: Config, request: Approval): string {
  const identities = new Set(request.Identities);
  const [first = ""] = identities;
  const who = identities.size === 1
    ? request.Name || titleOf(first, config.devices[first])
    : `${identities.size} devices`;
  return request.Access === "blocked"
    ? `Blocked ${who}`
    : `Approved ${who}: ${TITLES[request.Access]}`;
}
