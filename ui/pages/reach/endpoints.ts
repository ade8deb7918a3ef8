import { computed } from "@preact/signals";
import { devices } from "../../state/store.ts";
import { nameOf } from "../../text/format.ts";
import { t } from "../../text/language.ts";

/** Ends that are no device. */
const BUILT_IN: readonly (readonly [string, string])[] = [
  ["internet", t("Internet")],
  ["router", t("This router")],
];

/** What each end is called in a field: names that two devices share carry the identity. */
export const endLabels = computed((): ReadonlyMap<string, string> => {
  const named = Object.entries(devices.value ?? {})
    .map(([identity, device]): [string, string] => [identity, nameOf(identity, device)]);
  const times = Map.groupBy(named, ([, name]) => name.toLowerCase());
  const builtIn = new Set(BUILT_IN.map(([, word]) => word.toLowerCase()));
  const shared = (name: string): boolean =>
    (times.get(name.toLowerCase())?.length ?? 0) > 1 || builtIn.has(name.toLowerCase());
  return new Map([
    ...BUILT_IN,
    ...named.map(([identity, name]): [string, string] => [
      identity,
      shared(name) ? `${name} (${identity})` : name,
    ]),
  ]);
});

const endsByLabel = computed(() =>
  new Map([...endLabels.value].map(([end, label]) => [label.toLowerCase(), end]))
);

/** The end that somebody wrote: a device’s identity, a place, or the text as it is. */
export function endOfText(text: string): string {
  const wanted = text.trim();
  return endsByLabel.value.get(wanted.toLowerCase()) ?? wanted;
}

/** How an end is written in a field. */
export function textOfEnd(end: string): string {
  return endLabels.value.get(end) ?? end;
}
