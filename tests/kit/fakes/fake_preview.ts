import type { AccessChange, Device, Group, PatchEntry, Preview } from "../../../ui/wire.ts";

interface State {
  readonly devices: Readonly<Record<string, Device>>;
  readonly groups: readonly Group[];
}

/** A preview that is plausible enough to test the drawer with. */
export function fakePreview(before: State, after: State, self: string | undefined): Preview {
  const was = reach(before);
  const is = reach(after);
  const allowed = is.filter((flip) => !was.some((other) => same(flip, other)));
  const denied = was.filter((flip) => !is.some((other) => same(flip, other)));
  const verdict = (state: State) => {
    const device = self === undefined ? undefined : state.devices[self];
    const open = device !== undefined && admits(device);
    const comment = open
      ? "Home side, TCP 443: the router’s own page is open"
      : "Map router_admin: this device may not open the router’s page";
    return {
      verdict: open ? "accept" as const : "drop" as const,
      steps: [{
        table: "inet filter",
        chain: "input",
        comment,
        outcome: open ? "accept" as const : "drop" as const,
      }],
    };
  };
  const own = self === undefined ? null : { before: verdict(before), after: verdict(after) };
  return {
    config: [...patch("devices", before.devices, after.devices), ...groupPatch(before, after)],
    system: [
      ...allowed.map((flip) => line("add", flip, after)),
      ...denied.map((flip) => line("delete", flip, before)),
    ],
    reach: {
      allowed,
      denied,
      more: 0,
      own,
    },
    effects: [],
    addresses: [],
    firstApply: null,
    refusals: own?.before.verdict !== "accept" || own.after.verdict === "accept" ? [] : [{
      kind: "lockout",
      detail: "This would lock you out: your own connection would be refused",
      members: {
        refusal: "lockout",
        rule: own.after.steps[0] ?? null,
        source: before.devices[self ?? ""]?.RecentIP,
      },
    }],
  };
}

function admits(device: Device): boolean {
  return !device.DeviceDisabled && !device.Policies.includes("noapi");
}

function line(verb: string, flip: AccessChange, state: State): string {
  const address = (end: string) => state.devices[end]?.RecentIP ?? end;
  return `nft ${verb} element inet filter access { ${address(flip.from)} . ${
    address(flip.to)
  } : accept }`;
}

function same(a: AccessChange, b: AccessChange): boolean {
  return a.from === b.from && a.to === b.to && a.traffic === b.traffic;
}

function reach({ devices, groups }: State): readonly AccessChange[] {
  const flips: AccessChange[] = [];
  const off = new Set(groups.filter((group) => group.Disabled).map((group) => group.Name));
  const live = Object.entries(devices).filter(([, device]) => !device.DeviceDisabled);
  for (const [from, device] of live) {
    const has = (policy: string) => device.Policies.includes(policy);
    const caged = has("quarantine");
    if (has("wan") && !caged) {
      flips.push({ from, to: "internet", traffic: "all", reason: "Allowed by policy wan" });
    }
    if (has("dns")) {
      flips.push({ from, to: "router", traffic: "udp 53", reason: "Allowed by policy dns" });
    }
    if (!has("noapi")) {
      flips.push({
        from,
        to: "router",
        traffic: "tcp 443",
        reason: "Allowed: router port 443 is open to the LAN",
      });
    }
    for (const [to, other] of live) {
      if (to === from || caged) continue;
      const shared = device.Groups.find((group) => other.Groups.includes(group) && !off.has(group));
      if (shared) flips.push({ from, to, traffic: "all", reason: `Allowed by group ${shared}` });
      else if (has("lan")) {
        flips.push({ from, to, traffic: "all", reason: "Allowed by policy lan" });
      }
    }
  }
  return flips;
}

function groupPatch(before: State, after: State): PatchEntry[] {
  const byName = (groups: readonly Group[]) =>
    Object.fromEntries(groups.map((group) => [group.Name, group]));
  return patch("groups", byName(before.groups), byName(after.groups));
}

function patch(
  document: string,
  before: Readonly<Record<string, object>>,
  after: Readonly<Record<string, object>>,
): PatchEntry[] {
  const entries: PatchEntry[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[key], after[key]];
    if (was === undefined) entries.push({ document, path: [key], after: is });
    else if (is === undefined) entries.push({ document, path: [key], before: was });
    else entries.push(...fields(document, key, was, is));
  }
  return entries;
}

function fields(document: string, key: string, was: object, is: object): PatchEntry[] {
  const old = new Map<string, unknown>(Object.entries(was));
  return Object.entries(is)
    .filter(([name, value]) => JSON.stringify(old.get(name)) !== JSON.stringify(value))
    .map(([name, value]) => ({ document, path: [key, name], before: old.get(name), after: value }));
}
