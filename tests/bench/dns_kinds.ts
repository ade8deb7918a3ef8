import { BLOCKED, blockedName, HOMES } from "./dns_others.ts";

/** Names that are remembered, and how many others are asked for. */
const REMEMBERED = 2000, NEW = 400_000, MIXED = 400_000;

/** A kind of question. */
export interface Kind {
  readonly what: string;
  /** A file of dnsperf. */
  readonly file: string;
  /** Another one, asked before it is measured, so that what is compiled or remembered is so by then. */
  readonly warm: string;
  /** The code that every answer must have; absent where they differ. */
  readonly code?: string;
}

/** The kinds, each written into a file of the folder. */
export async function questions(folder: string): Promise<readonly Kind[]> {
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
  // Of a hundred names 20 are blocked, 65 remembered and 15 new, in no order that helps anyone.
  const mixed = (i: number, word: string): string => {
    const part = i * 37 % 100;
    if (part < 20) return blocked(i);
    return part < 85 ? `old${i * 31 % REMEMBERED}.example.test` : `mix${i}.${word}.example.test`;
  };
  return [
    await same("names of home", HOMES, "NOERROR", (i) => `h${i}.lan`),
    await same("remembered names", REMEMBERED, "NOERROR", (i) => `old${i}.example.test`),
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
