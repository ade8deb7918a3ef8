import type { Tokens } from "../access/tokens/tokens.ts";
import type { Bus } from "../core/events/bus.ts";
import type { Plugin } from "./schema.ts";

const SUFFIX = "-install-token";

/** A token that was just made for a plugin, in full. */
interface MadeToken {
  readonly plugin: Plugin;
  readonly token: string;
}

/**
 * The API tokens of plugins, `<Name>-install-token` as existing routers call them: each lives while its
 * plugin is on and has the scopes that were approved.
 */
export class PluginTokens {
  readonly #tokens: Pick<Tokens, "list" | "create" | "remove">;
  readonly #bus: Pick<Bus, "publish">;

  constructor(
    tokens: Pick<Tokens, "list" | "create" | "remove">,
    bus: Pick<Bus, "publish">,
  ) {
    this.#tokens = tokens;
    this.#bus = bus;
  }

  /** Deletes tokens of plugins that are gone, off or have other scopes; makes those that are missing. */
  async settle(plugins: readonly Plugin[]): Promise<readonly MadeToken[]> {
    const on = new Map(
      plugins.filter(({ Enabled }) => Enabled).map((one) => [`${one.Name}${SUFFIX}`, one]),
    );
    const held = new Set<string>();
    for (const { Name, ID, ScopedPaths } of this.#tokens.list()) {
      if (!Name.endsWith(SUFFIX)) continue;
      const plugin = on.get(Name);
      // Of what is run elsewhere we cannot replace the token.
      const fits = plugin !== undefined && !held.has(Name) &&
        (plugin.codeHash === "" || same(plugin.ScopedPaths, ScopedPaths));
      if (fits) held.add(Name);
      else {
        await this.#tokens.remove({ Token: "", ID });
        this.#bus.publish("auth:token:delete", { id: ID, name: Name });
      }
    }
    const made: MadeToken[] = [];
    for (const [Name, plugin] of on) {
      const needsOne = plugin.codeHash !== "" && plugin.ScopedPaths.length > 0 && !held.has(Name);
      if (!needsOne) continue;
      const ScopedPaths = [...plugin.ScopedPaths];
      const { Token } = await this.#tokens.create({ Name, Expire: 0, ScopedPaths });
      made.push({ plugin, token: Token });
    }
    return made;
  }
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
