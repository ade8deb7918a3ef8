import { groups } from "../../../state/store.ts";
import type { DomainOverride } from "../wire.ts";
import { clientAt, clientChoices, clientText } from "../log/clients.ts";
import { t } from "../../../text/language.ts";
import { orList } from "../../../text/format.ts";

/** Who a custom rule applies to: everyone, the members of groups, or one device by its address. */
export interface Audience {
  /** Address of the device; `*` for everyone and for groups. */
  readonly client: string;
  readonly groups: readonly string[];
}

const GROUP = "group:";

/** An audience as the value of a choice. */
export function audienceValue({ client, groups }: Audience): string {
  return groups.length > 0 ? `${GROUP}${JSON.stringify(groups)}` : client;
}

/** Reads what {@link audienceValue} wrote. */
export function parseAudience(value: string): Audience {
  return value.startsWith(GROUP)
    ? { client: "*", groups: JSON.parse(value.slice(GROUP.length)) }
    : { client: value, groups: [] };
}

/** The audience of a rule. */
export function audienceOf({ ClientIP, Groups = [] }: DomainOverride): Audience {
  return { client: ClientIP, groups: Groups };
}

/** An audience within a sentence: `all devices`, `the group kids`, `Tablet`. */
export function audienceText({ client, groups }: Audience): string {
  if (groups.length > 0) return t("the group {groups}", { groups: orList(groups) });
  return client === "*" ? t("all devices") : clientText(client);
}

/** Everyone, each group, each device that has an address; and what is chosen, where it is none of these. */
export function audienceChoices(chosen: string): readonly (readonly [string, string])[] {
  const known: readonly (readonly [string, string])[] = [
    ["*", t("All devices")],
    ...(groups.value ?? []).map(({ Name }) =>
      [audienceValue({ client: "*", groups: [Name] }), t("Group {name}", { name: Name })] as const
    ),
    ...clientChoices(),
  ];
  if (known.some(([value]) => value === chosen)) return known;
  const { client, groups: names } = parseAudience(chosen);
  const text = names.length > 0
    ? t("Group {names}", { names: orList(names) })
    : clientAt(client) ?? client;
  return [...known, [chosen, text]];
}
