import type { Config } from "../config.ts";
import { base64url, type RandomBytes, sha256 } from "../access/digest.ts";
import type { KnownToken, PageTokens } from "../access/tokens/tokens.ts";
import { isSandboxed, type Plugin } from "./schema.ts";

/** Milliseconds that a session lasts; pages renew it a minute before. */
const SESSION_MS = 600_000;
/** Sessions at a time; the oldest makes room. */
const MAX_SESSIONS = 256;

/** How a token of a page begins, by which clients know it. */
export const SESSION_PREFIX = "sprui1_";

/** A session of the page of a plugin. */
export interface UiSession {
  readonly token: string;
  readonly sessionId: string;
  readonly pluginURI: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

interface Kept {
  readonly id: string;
  readonly name: string;
  readonly uri: string;
  readonly user: string | null;
  readonly isSignedIn: () => boolean;
  readonly expiresAt: number;
  /** By the monotonic clock. */
  readonly until: number;
}

/** What {@link UiSessions} needs. Times are milliseconds. */
export interface UiSessionsDeps {
  readonly config: () => Pick<Config, "plugins">;
  readonly random: RandomBytes;
  readonly now: () => number;
  readonly steady: () => number;
}

/**
 * Short-lived tokens of plugin pages, each for the path of its plugin alone. Only hashes are kept, in
 * memory; whether the plugin may have one is looked at with each request.
 */
export class UiSessions implements PageTokens {
  readonly #deps: UiSessionsDeps;
  /** By the SHA-256 of the token. */
  readonly #sessions = new Map<string, Kept>();

  constructor(deps: UiSessionsDeps) {
    this.#deps = deps;
  }

  /**
   * Opens a session of an enabled plugin with a sandboxed page; null where there is none. Its token may do
   * what `user` may; null: what an admin may. It ends once `isSignedIn` is false, whatever is kept then.
   * `replace` is ended.
   */
  open(
    uri: string,
    { user, isSignedIn, replace }: {
      readonly user: string | null;
      readonly isSignedIn: () => boolean;
      readonly replace: string | null;
    },
  ): UiSession | null {
    const plugin = this.#plugin((one) => one.URI === uri);
    if (plugin === undefined) return null;
    const { random, now, steady } = this.#deps;
    const id = base64url(random(18)), token = `${SESSION_PREFIX}${base64url(random(32))}`;
    for (const [hash, kept] of this.#sessions) {
      const isReplaced = kept.id === replace && kept.name === plugin.Name;
      if (isReplaced || kept.until <= steady()) this.#sessions.delete(hash);
    }
    if (this.#sessions.size >= MAX_SESSIONS) {
      this.#sessions.delete([...this.#sessions.keys()][0]!);
    }
    const expiresAt = now() + SESSION_MS;
    this.#sessions.set(sha256(token), {
      ...{ id, name: plugin.Name, uri, user, isSignedIn, expiresAt },
      until: steady() + SESSION_MS,
    });
    return { token, sessionId: id, pluginURI: uri, expiresAt };
  }

  /** Ends a session; does nothing where there is none. */
  end(id: string): void {
    for (const [hash, kept] of this.#sessions) if (kept.id === id) this.#sessions.delete(hash);
  }

  /** Ends the sessions of plugins that may have none any more. */
  prune(): void {
    for (const [hash, kept] of this.#sessions) if (!this.#isLive(kept)) this.#sessions.delete(hash);
  }

  /** The token as the router's tokens are known; none where it has ended or its plugin may have none. */
  find(token: string): readonly KnownToken[] {
    if (!token.startsWith(SESSION_PREFIX)) return [];
    const kept = this.#sessions.get(sha256(token));
    if (kept === undefined || !this.#isLive(kept)) return [];
    const { id, name, uri, user, isSignedIn } = kept;
    const scopes = [`/plugins/${uri}:rw`];
    return [{ id: `ui:${id}`, name: `plugin-ui:${name}`, scopes, user, isSignedIn }];
  }

  /** True while the token of this id is valid. */
  holds(id: string): boolean {
    return [...this.#sessions.values()].some((kept) =>
      `ui:${kept.id}` === id && this.#isLive(kept)
    );
  }

  #isLive(kept: Kept): boolean {
    const plugin = this.#plugin(({ Name, URI }) => Name === kept.name && URI === kept.uri);
    return plugin !== undefined && kept.until > this.#deps.steady() && kept.isSignedIn();
  }

  #plugin(is: (plugin: Plugin) => boolean): Plugin | undefined {
    return this.#deps.config().plugins.Plugins.find((one) =>
      one.Enabled && one.HasUI && isSandboxed(one) && one.URI !== "" && is(one)
    );
  }
}
