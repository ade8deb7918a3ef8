// Calls the API of a running Sluice from a shell: `deno task ctl GET /status`; and, for root on the
// router itself, works without passwords and without HTTP: `deno task ctl network status`.

import { fileURLToPath } from "node:url";
import { callConsole, consoleHome, consoleRequest } from "./ctl/console.ts";

const USAGE = `Usage: deno task ctl METHOD PATH [JSON]

  deno task ctl GET /status
  deno task ctl PUT /groups '{"Name": "kitchen"}'
  deno task ctl PUT '/groups?dryRun=true' '{"Name": "kitchen"}'
  echo '{"Name": "kitchen"}' | deno task ctl PUT /groups -

On the router itself, as root, without a password:
  deno task ctl network status|repair|takeover
  deno task ctl network release   take everything of Sluice out of the kernel, even with no api running
  deno task ctl network apply     apply it again
  deno task ctl changes           the last changes
  deno task ctl changes undo|confirm ID

Environment
  SLUICE_URL       where Sluice listens; http://127.0.0.1 by default
  SLUICE_TOKEN     an API token, or
  SLUICE_PASSWORD  the password of SLUICE_USER (default admin)
  SLUICE_OTP       the OTP JWT, for routes that ask for it
  SLUICE_HOME      the live tree, for the router itself; default ./var

The answer's body goes to the standard output; the exit status is 0 when the call succeeded.`;

/** What to call, and as whom. */
interface Invocation {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | null;
}

async function invocation(args: readonly string[]): Promise<Invocation | null> {
  const [method, path, json] = args;
  if (method === undefined || path === undefined || args.length > 3) return null;
  if (!/^[A-Za-z]+$/.test(method) || !path.startsWith("/")) return null;
  const body = json === "-" ? await new Response(Deno.stdin.readable).text() : json ?? null;
  return {
    method: method.toUpperCase(),
    url: new URL(path, Deno.env.get("SLUICE_URL") ?? "http://127.0.0.1"),
    headers: headers(body !== null),
    body,
  };
}

function headers(withBody: boolean): Headers {
  const headers = new Headers({ accept: "application/json" });
  const token = Deno.env.get("SLUICE_TOKEN");
  const password = Deno.env.get("SLUICE_PASSWORD");
  const otp = Deno.env.get("SLUICE_OTP");
  if (withBody) headers.set("content-type", "application/json");
  if (otp) headers.set("x-jwt-otp", otp);
  if (token) headers.set("authorization", `Bearer ${token}`);
  else if (password) {
    const bytes = new TextEncoder().encode(`${Deno.env.get("SLUICE_USER") ?? "admin"}:${password}`);
    headers.set("authorization", `Basic ${btoa(String.fromCharCode(...bytes))}`);
  }
  return headers;
}

async function call({ method, url, headers, body }: Invocation): Promise<number> {
  let response: Response;
  try {
    response = await fetch(url, { method, headers, body, redirect: "manual" });
  } catch (error) {
    const { message, cause } = error as Error;
    print(Deno.stderr, `No answer from ${url.origin}: ${(cause as Error)?.message ?? message}`);
    print(Deno.stderr, "SLUICE_URL names where Sluice listens, such as http://127.0.0.1:8080");
    return 2;
  }
  for (const name of ["change-id", "confirm-token", "confirm-until"]) {
    const value = response.headers.get(name);
    if (value !== null) print(Deno.stderr, `${name}: ${value}`);
  }
  const text = await response.text();
  if (text !== "") print(response.ok ? Deno.stdout : Deno.stderr, pretty(text));
  if (!response.ok) print(Deno.stderr, `${method} ${url.pathname} answered ${response.status}`);
  if (response.status === 401 && !headers.has("authorization")) {
    print(Deno.stderr, "SLUICE_PASSWORD, or SLUICE_TOKEN, says as whom to call");
  }
  return response.ok ? 0 : 1;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not JSON, such as a certificate: as it came.
    return text;
  }
}

function print(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  stream.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** Works as root on the router itself. */
async function onRouter(request: readonly [string, string]): Promise<number> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const { status, lines, error: complaint } = await callConsole(request, {
    home: consoleHome(root, Deno.env.get("SLUICE_HOME")),
    releaseDirectly: async (home) => {
      const { releaseDirectly } = await import("./composition/release.ts");
      return await releaseDirectly(home);
    },
  });
  for (const line of lines) print(Deno.stdout, line);
  if (complaint !== undefined) print(Deno.stderr, complaint);
  return status;
}

const local = consoleRequest(Deno.args);
if (local !== null) Deno.exit(await onRouter(local));
const parsed = await invocation(Deno.args);
if (parsed === null) print(Deno.stderr, USAGE);
Deno.exit(parsed === null ? 64 : await call(parsed));
