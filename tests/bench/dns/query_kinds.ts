import { BLOCKED, blockedName, LOCAL_NAMES } from "./other_servers.ts";

/** Cached names, and numbers of other queries. */
const CACHED = 2000, NEW = 400_000, MIXED = 400_000;

/** A kind of query. */
export interface QueryKind {
  readonly what: string;
  /** Input file of dnsperf. */
  readonly file: string;
  /** Input file of the warm-up, so that code is compiled and the cache filled. */
  readonly warm: string;
  /** The RCODE of every response; absent where they differ. */
  readonly code?: string;
}

/** Writes the query file of each kind. */
export async function queryFiles(folder: string): Promise<readonly QueryKind[]> {
  const write = async (
    what: string,
    count: number,
    name: (i: number) => string,
  ): Promise<string> => {
    const file = `${folder}/${what.replaceAll(" ", "_")}`;
    const lines = Array.from({ length: count }, (_, i) => `${name(i)} A\n`);
    await Deno.writeTextFile(file, lines.join(""));
    return file;
  };
  const same = async (what: string, count: number, code: string, name: (i: number) => string) => {
    const file = await write(what, count, name);
    return { what, file, warm: file, code };
  };
  const other = async (what: string, count: number, name: (i: number, word: string) => string) => ({
    what,
    file: await write(what, count, (i) => name(i, "now")),
    warm: await write(`${what} before`, count / 2, (i) => name(i, "before")),
  });
  const blocked = (i: number): string => blockedName(i * 7919 % BLOCKED);
  // Of a hundred names 20 are blocked, 65 cached and 15 new, in an order that helps no server.
  const mixed = (i: number, word: string): string => {
    const part = i * 37 % 100;
    if (part < 20) return blocked(i);
    return part < 85 ? `old${i * 31 % CACHED}.example.test` : `mix${i}.${word}.example.test`;
  };
  return [
    await same("local names", LOCAL_NAMES, "NOERROR", (i) => `h${i}.lan`),
    await same("cached names", CACHED, "NOERROR", (i) => `old${i}.example.test`),
    await same("blocked names", 100_000, "NXDOMAIN", blocked),
    await other("mixed names", MIXED, mixed),
    {
      ...await other("new names", NEW, (i, word) => `new${i}.${word}.example.test`),
      code: "NOERROR",
    },
    {
      ...await other("new names over TLS", NEW, (i, word) => `tls${i}.${word}.example.test`),
      code: "NOERROR",
    },
  ];
}
