import { must } from "./command.ts";
import type { Lab } from "./lab.ts";
import { PACE } from "../pace.ts";

/** What `dig` of a client was told. */
export interface Dug {
  /** `NOERROR`, `NXDOMAIN`, …; null when no answer came. */
  readonly status: string | null;
  readonly flags: readonly string[];
  /** Owner, TTL, type and data of each answer. */
  readonly answers: readonly (readonly [string, number, string, string])[];
  readonly text: string;
}

/**
 * Asks a resolver with BIND's `dig`, once and for five seconds unless the options say otherwise, as they
 * do where nobody is to answer.
 */
export async function dig(
  lab: Lab,
  part: string,
  server: string,
  ...question: readonly string[]
): Promise<Dug> {
  const args = [
    `@${server}`,
    "+tries=1",
    `+time=${5 * PACE}`,
    "+noall",
    "+comments",
    "+answer",
    ...question,
  ];
  const { stdout } = await lab.exec(part, "dig", args);
  const answers = stdout.split("\n").flatMap((line): [string, number, string, string][] => {
    const parts = /^([^;\s]\S*)\s+(\d+)\s+IN\s+(\S+)\s+(.+)$/.exec(line);
    return parts === null ? [] : [[parts[1]!, Number(parts[2]), parts[3]!, parts[4]!]];
  });
  return {
    status: /status: (\w+)/.exec(stdout)?.[1] ?? null,
    flags: /flags: ([\w ]+);/.exec(stdout)?.[1]?.split(" ") ?? [],
    answers,
    text: stdout,
  };
}

/** Addresses of the answers, or the status where there are none. */
export function data({ answers, status }: Dug): string {
  return answers.filter(([, , type]) => type === "A" || type === "AAAA" || type === "PTR")
    .map(([, , , data]) => data).join(" ") || status || "nothing";
}

/**
 * A certificate of an authority of its own, in a folder: paths of both and of the key. `from`: when it
 * begins to hold, as `YYYYMMDDHHMMSSZ`, for a year; default now, for two days.
 */
export async function certificate(
  folder: string,
  host: string,
  from?: string,
): Promise<{ readonly ca: string; readonly cert: string; readonly key: string }> {
  const [ca, caKey, cert, key, request, names] = ["ca.pem", "ca.key", "cert.pem", "key.pem"]
    .concat("request.pem", "names").map((name) => `${folder}/${host}-${name}`) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const ssl = (...args: readonly string[]): Promise<string> => must("openssl", args);
  await ssl("req", "-x509", ...ec, "-keyout", caKey, "-out", ca, "-subj", "/CN=Lab", "-days", "2");
  await ssl("req", ...ec, "-keyout", key, "-out", request, "-subj", `/CN=${host}`);
  await Deno.writeTextFile(names, `subjectAltName=DNS:${host}\nbasicConstraints=CA:FALSE\n`);
  const sign = ["-CA", ca, "-CAkey", caKey, "-CAcreateserial", "-days", "2", "-extfile", names];
  if (from === undefined) await ssl("x509", "-req", "-in", request, "-out", cert, ...sign);
  else await signLater(folder, { ca, caKey, cert, request, names, from });
  return { ca, cert, key };
}

/** `openssl x509` of Debian 12 signs from now on alone; `openssl ca` wants a small household. */
async function signLater(
  folder: string,
  { ca, caKey, cert, request, names, from }: Readonly<
    Record<"ca" | "caKey" | "cert" | "request" | "names" | "from", string>
  >,
): Promise<void> {
  const household = await Deno.makeTempDir({ dir: folder });
  const config = [
    ...[
      "[ca]",
      "default_ca=lab",
      "[lab]",
      `database=${household}/index`,
      `new_certs_dir=${household}`,
    ],
    ...[`serial=${household}/serial`, "default_md=sha256", "policy=any", "unique_subject=no"],
    ...["[any]", "commonName=supplied", ""],
  ];
  await Deno.writeTextFile(`${household}/config`, config.join("\n"));
  await Deno.writeTextFile(`${household}/index`, "");
  await Deno.writeTextFile(`${household}/serial`, "01\n");
  const year = Number(from.slice(0, 4));
  await must("openssl", [
    ...[
      "ca",
      "-batch",
      "-notext",
      "-config",
      `${household}/config`,
      "-cert",
      ca,
      "-keyfile",
      caKey,
    ],
    ...["-in", request, "-out", cert, "-extfile", names, "-startdate", from],
    ...["-enddate", `${year + 1}${from.slice(4)}`],
  ]);
}
