import { dirname } from "node:path";
import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { writeDurably } from "../../core/config/files.ts";
import { formatIpv4 } from "../../core/net/net.ts";
import type { NoticeBoard } from "../../core/events/notice.ts";
import { Problem, sentence } from "../../core/errors/problem.ts";
import type { ForeignServer } from "../api_schema.ts";
import { lanAddress, poolsOf } from "../tiny_net.ts";

/** Kinds of the notices, one per interface: of one that is not served, and of one that is. */
const KIND = "dhcp-foreign-server", BESIDE = "dhcp-second-server";

/** Dependencies of {@link openForeignServers}. */
export interface ForeignServersDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly bus: Pick<Bus, "publish">;
  readonly notices: NoticeBoard;
  /** Where confirmed interfaces are stored. */
  readonly path: string;
}

/** Foreign DHCP servers, and the interfaces that an admin confirmed for DHCP nevertheless. */
export interface ForeignServers {
  confirmedInterfaces(): readonly string[];
  /**
   * Takes what a probe of an interface found. False when there is no other server, or it is this router
   * itself, reached through another interface.
   */
  report(found: ForeignServer): Promise<boolean>;
  /** Confirms DHCP on an interface. Throws Problem 400 for one that is no downlink. */
  serve(link: string, by: string): Promise<void>;
}

/** Opens the record; an unreadable file counts as empty, so that nothing is served by mistake. */
export async function openForeignServers(deps: ForeignServersDeps): Promise<ForeignServers> {
  const { engine, bus, notices, path } = deps;
  let links = await read(path);
  return {
    confirmedInterfaces: () => links,
    async report({ link, server, serving }) {
      const lan = lanAddress(poolsOf(engine.config.dhcp.TinyNets));
      const isOther = server !== null && (lan === null || formatIpv4(lan) !== server);
      const [kind, other] = serving ? [BESIDE, KIND] : [KIND, BESIDE];
      await notices.settle(other, link);
      if (!isOther) {
        await notices.settle(kind, link);
        return false;
      }
      await notices.open(
        kind,
        serving
          ? `Another DHCP server, ${server}, answers on ${link} beside this router: devices there ` +
            "may get its addresses, and with them no access. Remove it"
          : `DHCP is off on ${link}: another DHCP server, ${server}, answers there. Remove it, or ` +
            `enable DHCP on ${link} anyway`,
        { subject: link, interface: link, server },
      );
      return true;
    },
    async serve(link, by) {
      const known = engine.config.interfaces.some(({ Name, Type }) =>
        Name === link && Type === "Downlink"
      );
      if (!known) {
        throw new Problem(400, sentence("{link} is no LAN interface", { link }), {
          errors: [{ pointer: "/interface", message: "Use a LAN interface (downlink)" }],
        });
      }
      if (!links.includes(link)) {
        const next = [...links, link].sort();
        await Deno.mkdir(dirname(path), { recursive: true });
        await writeDurably(path, `${JSON.stringify(next)}\n`, crypto.randomUUID());
        links = next;
      }
      await notices.settle(KIND, link);
      await notices.settle(BESIDE, link);
      bus.publish("dhcp:serve", { link, by });
    },
  };
}

async function read(path: string): Promise<readonly string[]> {
  try {
    const value: unknown = JSON.parse(await Deno.readTextFile(path));
    return Array.isArray(value) ? value.filter((link) => typeof link === "string") : [];
  } catch {
    return [];
  }
}
