import { invalid } from "../../core/errors/problem.ts";

/** A value of a configuration file, and the line that it stands on. */
export interface Setting {
  readonly text: string;
  readonly line: number;
}

/** A section of a configuration file: its settings by name in lower case. */
export interface Section {
  readonly line: number;
  /** A comment directly above or below its heading, as many tools name peers; "" for none. */
  readonly name: string;
  readonly settings: ReadonlyMap<string, Setting>;
}

/** A WireGuard configuration file, as `wg showconf` and wg-quick(8) write it. */
export interface ConfigFile {
  readonly tunnel: Section;
  readonly peers: readonly Section[];
  /** Settings that have no effect here, as `Table (line 4)`. */
  readonly ignored: readonly string[];
}

/** Settings that are commands, which wg-quick runs as root. */
const COMMANDS = new Set(["preup", "postup", "predown", "postdown"]);
/** Settings of wg-quick that Sluice decides by itself. */
const IGNORED = new Set(["table", "fwmark", "saveconfig"]);
const KNOWN = {
  interface: new Set(["privatekey", "address", "listenport", "mtu", "dns"]),
  peer: new Set(["publickey", "presharedkey", "allowedips", "endpoint", "persistentkeepalive"]),
} as const;
const HEADINGS = { interface: "Interface", peer: "Peer" } as const;
/** Settings that may stand more than once; their values are one list. */
const LISTS = new Set(["address", "dns", "allowedips"]);

/**
 * Reads a configuration file. Throws Problem 400 that names the line, never its value, for what is no
 * such file, and for commands, which are never run.
 */
export function parseConfigFile(text: string): ConfigFile {
  const draft = new Draft();
  text.split(/\r?\n/).forEach((raw, at) => draft.take(raw, at + 1));
  return draft.file();
}

/** A complaint about a line of the file. */
export function atLine(line: number, message: string) {
  return invalid("/Config", `Line ${line}: ${message}`);
}

interface OpenSection {
  readonly line: number;
  readonly kind: keyof typeof KNOWN;
  name: string;
  readonly settings: Map<string, Setting>;
}

class Draft {
  readonly #sections: OpenSection[] = [];
  readonly #ignored: string[] = [];
  #comment = "";

  take(raw: string, line: number): void {
    const [before = "", ...comments] = raw.split("#");
    const content = before.trim();
    if (content === "") {
      this.#remark(comments.join("#"));
      return;
    }
    const heading = /^\[(interface|peer)\]$/i.exec(content);
    if (heading !== null) this.#open(heading[1]!.toLowerCase() as OpenSection["kind"], line);
    else this.#set(content, line);
    this.#comment = "";
  }

  file(): ConfigFile {
    const tunnels = this.#sections.filter(({ kind }) => kind === "interface");
    const [tunnel, second] = tunnels;
    if (tunnel === undefined) {
      throw invalid(
        "/Config",
        "This is no WireGuard configuration: it has no section [Interface]",
      );
    }
    if (second !== undefined) throw atLine(second.line, "There is a second section [Interface]");
    const peers = this.#sections.filter(({ kind }) => kind === "peer");
    return { tunnel, peers, ignored: this.#ignored };
  }

  /** A comment names the section that it stands beside. */
  #remark(comment: string): void {
    const name = comment.replace(/^[\s#]*(?:(?:friendly_)?name\s*[=:])?/i, "").trim();
    const last = this.#sections.at(-1);
    if (comment.trim() === "") this.#comment = "";
    else if (last?.settings.size === 0 && last.name === "") last.name = name;
    else this.#comment = name;
  }

  #open(kind: OpenSection["kind"], line: number): void {
    this.#sections.push({ kind, line, name: this.#comment, settings: new Map() });
  }

  #set(content: string, line: number): void {
    const section = this.#sections.at(-1);
    const equals = content.indexOf("=");
    if (equals < 1) throw atLine(line, "Write a setting as Name = value, or a section in brackets");
    if (section === undefined) throw atLine(line, "Begin with the section [Interface]");
    const name = content.slice(0, equals).trim(), key = name.toLowerCase();
    const text = content.slice(equals + 1).trim();
    if (COMMANDS.has(key)) {
      throw atLine(
        line,
        `${name} runs a command as root, which Sluice never does. Delete the line: firewall, ` +
          "NAT and routes follow from policies and networks",
      );
    }
    if (IGNORED.has(key)) {
      this.#ignored.push(`${name} (line ${line})`);
      return;
    }
    if (!KNOWN[section.kind].has(key)) {
      const shown = /^[A-Za-z]{1,40}$/.test(name) ? name : "This";
      throw atLine(line, `${shown} is no setting of [${HEADINGS[section.kind]}]`);
    }
    const before = section.settings.get(key);
    if (before === undefined) section.settings.set(key, { text, line });
    else if (LISTS.has(key)) {
      section.settings.set(key, { text: `${before.text}, ${text}`, line: before.line });
    } else throw atLine(line, `${name} stands twice, first on line ${before.line}`);
  }
}

/** The parts of a list, such as `AllowedIPs`. */
export function listOf(setting: Setting | undefined): readonly string[] {
  const text = setting?.text ?? "";
  return text === "(none)"
    ? []
    : text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}
