import { moved } from "./moved_devices.ts";
import type { View } from "./effect_text.ts";
import type { DomainOverride, OverrideList } from "../block/schema.ts";
import { scheduleText } from "../../core/time/schedule.ts";

/** Overrides that are listed one by one. */
const MAX_LISTED = 20;

/** Custom rules that come to apply to devices, or no longer do. */
export function* overrideEffects(
  was: View,
  is: View,
  identities: readonly string[],
): Generator<string | undefined, void> {
  const [old, now] = [byName(was), byName(is)];
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const before = active(old.get(name)), after = active(now.get(name));
    if (before === null && after === null) continue;
    yield;
    if (before === null || after === null) yield* wholeList(was, is, before, after);
    else {
      if (before.PermitDomains.length + before.BlockDomains.length > 0) {
        for (const [names, applies] of moved(was, is, identities, [before.Tags, after.Tags])) {
          yield `The custom rules ${name} ${applies ? "" : "no longer "}apply to ${names}`;
        }
      }
      yield* singleRules(was, is, before, after);
    }
  }
}

function byName({ config }: View): ReadonlyMap<string, OverrideList> {
  return new Map(config.dnsBlock.OverrideLists.map((list) => [list.Name, list]));
}

function active(list: OverrideList | undefined): OverrideList | null {
  return list?.Enabled ? list : null;
}

function wholeList(
  was: View,
  is: View,
  before: OverrideList | null,
  after: OverrideList | null,
): readonly string[] {
  const list = (after ?? before)!;
  if (list.PermitDomains.length + list.BlockDomains.length === 0) return [];
  // A list that comes with a single rule is listed as that rule.
  const empty: OverrideList = { ...list, PermitDomains: [], BlockDomains: [] };
  return after === null
    ? [`The custom rules ${list.Name} no longer apply to ${was.audience(list.Tags)}`]
    : singleRules(was, is, empty, after);
}

/** Rules that one version of a list has and the other has not; when they expire is no difference. */
function singleRules(
  was: View,
  is: View,
  before: OverrideList,
  after: OverrideList,
): readonly string[] {
  if (before === after) return [];
  const [old, now] = [rules(before, was), rules(after, is)];
  const added = [...now].filter(([key]) => !old.has(key)).map(([, one]) => one);
  const removed = [...old].filter(([key]) => !now.has(key)).map(([, one]) => one)
    .filter(({ ClientIP }) => !is.isGone(was.ownerOf(ClientIP), was));
  if (added.length + removed.length > MAX_LISTED) {
    return [
      ...(added.length > 0 ? [`${added.length} custom rules of ${after.Name} are new`] : []),
      ...(removed.length > 0 ? [`${removed.length} custom rules of ${after.Name} end`] : []),
    ];
  }
  return [
    ...removed.map((one) =>
      `${domainOf(one)} is no longer ${verb(one)} for ${who(one, before, was)}${times(one)}`
    ),
    ...added.map((one) =>
      `${domainOf(one)} is ${verb(one)} for ${who(one, after, is)}${times(one)}`
    ),
  ];
}

function rules(list: OverrideList, view: View): ReadonlyMap<string, DomainOverride> {
  return new Map(
    [...list.PermitDomains, ...list.BlockDomains].map((one) => [
      JSON.stringify([
        one.Type.toLowerCase(),
        one.Domain,
        one.ResultIP,
        one.ResultCNAME,
        view.ownerOf(one.ClientIP),
        one.Tags,
        one.Groups ?? [],
        one.Schedule ?? null,
      ]),
      one,
    ]),
  );
}

function domainOf({ Domain }: DomainOverride): string {
  return Domain === "." ? "Every name" : Domain.replace(/\.$/, "");
}

function verb({ Type, ResultIP, ResultCNAME }: DomainOverride): string {
  const result = ResultIP || ResultCNAME.replace(/\.$/, "");
  if (result !== "") return `rewritten to ${result}`;
  return Type.toLowerCase() === "permit" ? "allowed" : "blocked";
}

/** ` on Mon, Tue from 20:00 to 06:00`; "" for always. */
function times({ Schedule }: DomainOverride): string {
  return Schedule === undefined ? "" : ` ${scheduleText(Schedule)}`;
}

function who(
  { ClientIP, Tags, Groups = [] }: DomainOverride,
  list: OverrideList,
  view: View,
): string {
  if (ClientIP !== "*") return view.nameOf(view.ownerOf(ClientIP));
  if (Groups.length > 0) return `the group ${Groups.join(" or ")}`;
  return view.audience(Tags.length > 0 ? Tags : list.Tags);
}
