import { parseAddress } from "../../core/net/net.ts";
import { atLine, type ConfigFile, listOf, type Section, type Setting } from "./config_file.ts";

/** Items that a sentence lists at most. */
const MAX_LISTED = 20;

/** What of a configuration file has no effect here, collected while it is read. */
export class LeftOut {
  readonly #items: string[];

  constructor({ ignored }: Pick<ConfigFile, "ignored">) {
    this.#items = [...ignored];
  }

  /** Such as `Table (line 4)` or `fd00::2/128 of AllowedIPs (line 9)`. */
  get items(): readonly string[] {
    return this.#items;
  }

  /** Leaves a setting out; nothing where the section does not have it. */
  setting({ settings }: Section, name: string): void {
    const found = settings.get(name.toLowerCase());
    if (found !== undefined) this.#items.push(`${name} (line ${found.line})`);
  }

  /** Leaves one part of a list out. */
  part(text: string, name: string, line: number): void {
    this.#items.push(`${text} of ${name} (line ${line})`);
  }

  /** The IPv4 parts of a list; IPv6 ones are left out. Throws Problem 400 for what is neither. */
  ipv4(setting: Setting | undefined, name: string): readonly string[] {
    return listOf(setting).filter((text) => {
      if (!text.includes(":")) return true;
      if (!isIpv6(text)) throw atLine(setting!.line, `${name} has an entry that is no network`);
      this.part(text, name, setting!.line);
      return false;
    });
  }
}

function isIpv6(text: string): boolean {
  const [host = "", prefix = "128", ...more] = text.split("/");
  return more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= 128 &&
    /^[0-9a-fA-F:.]+$/.test(host) && parseAddress(host)?.family === 6;
}

/** What a preview says of it; nothing where all of the file is followed. */
export function leftOutEffects(items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  const more = items.length - MAX_LISTED;
  const listed = items.slice(0, MAX_LISTED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return [`Left out of the file, since the VPN does not use it: ${listed}`];
}
