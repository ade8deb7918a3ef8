import type { Devices, Network, Notice } from "../../wire.ts";
import { isWaiting } from "../../words.ts";

/** Something that waits for a person. */
export type Need =
  | { readonly kind: "trial" }
  | { readonly kind: "network"; readonly words: string }
  | { readonly kind: "device"; readonly identity: string }
  | { readonly kind: "notice"; readonly notice: Notice };

const STATES = {
  model: "",
  applied: "",
  blocked: "A table of ours belongs to someone else, so nothing is applied",
  broken: "The kernel follows neither the old nor the new state",
  released: "Everything of ours was taken out of the kernel",
} as const;

/** What needs a person, the most urgent first; nothing while all is well. */
export function needsOf(
  now: {
    readonly trial: boolean;
    readonly network: Network | null;
    readonly devices: Devices;
    readonly notices: readonly Notice[];
  },
): readonly Need[] {
  const { network } = now;
  const drift = (network?.drift?.length ?? 0) + (network?.more ?? 0);
  const words = network === null
    ? ""
    : STATES[network.state] || (drift > 0 ? "The kernel differs from what was decided" : "");
  return [
    ...(now.trial ? [{ kind: "trial" } as const] : []),
    ...(words === "" ? [] : [{ kind: "network", words } as const]),
    ...Object.entries(now.devices).filter(([, device]) => isWaiting(device))
      .map(([identity]) => ({ kind: "device", identity } as const)),
    ...now.notices.map((notice) => ({ kind: "notice", notice } as const)),
  ];
}

const NUMBERS = [
  "Nothing",
  "One thing",
  "Two things",
  "Three things",
  "Four things",
  "Five things",
];

/** The state as a title: `Nothing needs you`, `Two things need you`. */
export function needsTitle(amount: number): string {
  const words = NUMBERS[amount] ?? `${amount} things`;
  return `${words} ${amount < 2 ? "needs" : "need"} you`;
}
