import { type Client, LibsqlError } from "@libsql/client";

/** How a client recovers. */
export interface Recovery {
  /** Settings of a connection that was opened again. */
  readonly pragmas: readonly string[];
  /** Called for each statement that met a damaged file. */
  readonly damaged?: () => void;
}

/**
 * A client that goes on after another program held its file for longer than it waits: a connection of
 * libSQL that failed a write this way commits nothing any more, so it is reopened and given
 * `pragmas` again. The write that failed still throws.
 */
export function recovering(client: Client, { pragmas, damaged }: Recovery): Client {
  async function guarded<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof LibsqlError ? error.code : "";
      if (code.startsWith("SQLITE_BUSY")) {
        await client.reconnect();
        for (const pragma of pragmas) await client.execute(pragma);
      }
      if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) damaged?.();
      throw error;
    }
  }
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (!GUARDED.has(name)) return member.bind(target);
      return (...args: unknown[]) => guarded(() => member.apply(target, args));
    },
  });
}

/** What may write. */
const GUARDED: ReadonlySet<PropertyKey> = new Set([
  "execute",
  "batch",
  "transaction",
  "migrate",
  "executeMultiple",
]);
