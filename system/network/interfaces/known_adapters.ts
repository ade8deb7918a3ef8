import * as z from "zod";
import type { Config } from "../../config.ts";
import type { Documents } from "../../core/config/document.ts";
import { writeDurably } from "../../core/config/files.ts";
import type { Caller, ChangeEngine, Observations } from "../../core/engine/change.ts";
import type { NoticeBoard } from "../../core/events/notice.ts";
import type { Host } from "../../core/kernel/host.ts";
import type { Log } from "../../core/log/log.ts";
import { InterfaceName, Mac } from "../../core/net/grammar.ts";
import { type Adapters, adaptersOf, movedAdapters } from "./adapters.ts";
import {
  type InterfaceMapping,
  interfacesNamed,
  mapInterfaces,
  mappedName,
} from "./interface_mapping.ts";

const CALLER: Caller = { by: "start", from: null, connection: null };
const KIND = "interfaces-renamed";
/** Hardware MAC addresses by interface, as stored. */
const Known = z.record(InterfaceName, Mac);

/** Dependencies of {@link openKnownAdapters}. */
export interface KnownAdaptersDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "change">;
  readonly documents: Documents<Config>;
  readonly notices: NoticeBoard;
  readonly log: Log;
  /** Where their addresses are stored. */
  readonly path: string;
}

/** The network adapters of the configured interfaces, by which they are recognised. */
export interface KnownAdapters {
  /**
   * Lets the settings follow adapters that have other names than at the last start: a LAN interface
   * must not become the WAN because the kernel found two adapters in another order.
   */
  follow(host: Pick<Host, "facts">): Promise<void>;
  /** Their hardware MAC addresses, by the names that settings have for them; another map after a change. */
  known(): Adapters;
  /** Stores which adapters the interfaces are, where those that settings name are others now. */
  remember(host: Pick<Host, "facts">): Promise<void>;
}

/** Opens the record; an unreadable file counts as empty. */
export async function openKnownAdapters(deps: KnownAdaptersDeps): Promise<KnownAdapters> {
  const { engine, documents, notices, log, path } = deps;
  let known = await read(path);
  let remembered: Config["interfaces"] | null = null;

  async function remember(host: Pick<Host, "facts">): Promise<void> {
    const { interfaces } = engine.config;
    if (remembered === interfaces) return;
    const { links } = await host.facts();
    // One that is unplugged for now is recognised when it comes back, under whatever name.
    const present = adaptersOf(links), macs = new Set(present.values());
    const kept = [...known].filter(([name, mac]) => !present.has(name) && !macs.has(mac));
    const all = new Map([...kept, ...present]);
    const next = interfacesNamed(engine.config, documents)
      .flatMap((name) => all.has(name) ? [[name, all.get(name)!] as const] : []);
    const text = textOf(next);
    // A record that cannot be written is tried again with the next change of interfaces, not of devices.
    remembered = interfaces;
    if (text !== textOf([...known])) {
      await writeDurably(path, text, crypto.randomUUID());
      known = new Map(next);
    }
  }

  return {
    known: () => known,
    remember,
    async follow(host) {
      const { links } = await host.facts();
      const names = interfacesNamed(engine.config, documents);
      const moved = movedAdapters(names, { known, present: adaptersOf(links) });
      const { moves, canFollow } = moved;
      if (Object.keys(moves).length > 0) {
        const text = labelOf(moves);
        log.warn("network.interfaces_renamed", "Interfaces have other names than before", {
          moves,
        });
        if (canFollow) {
          await engine.change({
            kind: "interfaces.renamed",
            summary: `Automatic: settings followed renamed interfaces (${text})`,
            reduce: (
              config,
            ) => [{ ...config, ...mapInterfaces(config, documents, moves) }, undefined],
          }, {
            caller: CALLER,
            observation: true,
            observe: (observed) => withPlaces(observed, moves),
          });
        }
        await notices.open(KIND, noticeOf(text, canFollow), { moves });
      }
      // Until roles are set anew, what could not follow is known by what it was.
      if (canFollow) await remember(host);
      else remembered = engine.config.interfaces;
    },
  };
}

function textOf(known: readonly (readonly [name: string, mac: string])[]): string {
  return `${JSON.stringify(Object.fromEntries(known))}\n`;
}

function labelOf(moves: InterfaceMapping): string {
  return Object.entries(moves).map(([from, to]) => `${from} is ${to} now`).join(", ");
}

function noticeOf(text: string, canFollow: boolean): string {
  const what = `Interfaces have other names than before: ${text}, by their MAC addresses. `;
  return what +
    (canFollow
      ? "Their settings went along"
      : "Their settings could not go along, as another interface has the name already; check the " +
        "roles of the interfaces");
}

/** What was seen on an interface, under its present name. */
function withPlaces(observed: Observations, moves: InterfaceMapping): Observations {
  const devices = Object.entries(observed.devices)
    .map(([identity, { link, ...one }]) => [
      identity,
      { ...one, link: link === null ? null : mappedName(link, moves) },
    ]);
  const uplinks = Object.entries(observed.uplinks ?? {})
    .map(([name, one]) => [mappedName(name, moves), one]);
  return {
    ...observed,
    devices: Object.fromEntries(devices),
    ...(observed.uplinks === undefined ? {} : { uplinks: Object.fromEntries(uplinks) }),
  };
}

async function read(path: string): Promise<Adapters> {
  try {
    const known = Known.safeParse(JSON.parse(await Deno.readTextFile(path)));
    return new Map(known.success ? Object.entries(known.data) : []);
  } catch {
    return new Map();
  }
}
