import { dirname } from "node:path";
import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { writeDurably } from "../../core/config/files.ts";
import { formatIpv4 } from "../../core/net/net.ts";
import type { NoticeBoard } from "../../core/events/notice.ts";
import { Problem } from "../../core/errors/problem.ts";
import { lanAddress, poolsOf } from "../tiny_net.ts";

/** Kind of the notices, one for each link. */
const KIND = "dhcp-foreign-server";

/** What the record of other servers needs from outside. */
export interface ForeignServersDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly bus: Pick<Bus, "publish">;
  readonly notices: NoticeBoard;
  /** Where it is remembered on which links we are to serve. */
  readonly path: string;
}

/** Links with another DHCP server, and an admin's word that we serve there all the same. */
export interface ForeignServers {
  confirmed(): readonly string[];
  /** Another server answers on a link. False when it is we ourselves, by way of another link. */
  report(link: string, server: string): Promise<boolean>;
  /** An admin wants us to serve on this link. Throws Problem 400 for a link that is no downlink. */
  serve(link: string, by: string): Promise<void>;
}

/** Opens the record; a file that cannot be read counts as empty, so that we stay silent. */
export async function openForeignServers(deps: ForeignServersDeps): Promise<ForeignServers> {
  const { engine, bus, notices, path } = deps;
  let links = await read(path);
  return {
    confirmed: () => links,
    async report(link, server) {
      const lan = lanAddress(poolsOf(engine.config.dhcp.TinyNets));
      if (lan !== null && formatIpv4(lan) === server) return false;
      await notices.open(
        KIND,
        `No addresses are leased on ${link}, because another DHCP server, ${server}, answers ` +
          `there. Remove it, or confirm that Sluice is to serve ${link} beside it`,
        { subject: link, link, server },
      );
      return true;
    },
    async serve(link, by) {
      const known = engine.config.interfaces.some(({ Name, Type }) =>
        Name === link && Type === "Downlink"
      );
      if (!known) {
        throw new Problem(400, `${link} is no downlink`, {
          errors: [{ pointer: "/link", message: "Name a downlink" }],
        });
      }
      if (!links.includes(link)) {
        const next = [...links, link].sort();
        await Deno.mkdir(dirname(path), { recursive: true });
        await writeDurably(path, `${JSON.stringify(next)}\n`, crypto.randomUUID());
        links = next;
      }
      await notices.settle(KIND, link);
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
