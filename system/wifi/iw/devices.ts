import { outline, type OutlineLine } from "./outline.ts";
import type { IwDevices, IwInterface } from "./schema.ts";

const TEXTS = ["ifindex", "wdev", "addr", "ssid", "type", "channel", "txpower"] as const;

const QUEUE = [
  ...["qsz_byt", "qsz_pkt", "flows", "drops", "marks"],
  ...["overlmt", "hashcol", "tx_bytes", "tx_packets"],
] as const;

/** Reads the output of `iw dev`. A radio without interfaces is left out. */
export function parseDevices(output: string): IwDevices {
  return Object.fromEntries(
    outline(output)
      .filter(({ text, children }) => /^phy#\d+$/.test(text) && children.length > 0)
      .map((phy) => [phy.text.replace("#", ""), interfacesOf(phy)]),
  );
}

function interfacesOf(phy: OutlineLine): Record<string, IwInterface> {
  return Object.fromEntries(phy.children.flatMap(({ text, children }) => {
    const name = /^Interface (\S+)$/.exec(text)?.[1];
    return name === undefined ? [] : [[name, interfaceOf(children)]];
  }));
}

function interfaceOf(lines: readonly OutlineLine[]): IwInterface {
  const texts = lines.flatMap(({ text }) => {
    const key = TEXTS.find((name) => text.startsWith(`${name} `));
    return key === undefined ? [] : [[key, text.slice(key.length + 1)] as const];
  });
  const queue = lines.find(({ text }) => text === "multicast TXQ:")?.children[1];
  const numbers = queue?.text.split(/\s+/).map(Number) ?? [];
  const counted = numbers.length === QUEUE.length && numbers.every(Number.isSafeInteger);
  return {
    ...Object.fromEntries(texts),
    ...(counted
      ? {
        multicast_txq: Object.fromEntries(
          QUEUE.map((key, at) => [key, numbers[at]!]),
        ) as NonNullable<IwInterface["multicast_txq"]>,
      }
      : {}),
  };
}
