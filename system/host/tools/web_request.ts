import { run } from "./run.ts";

/** A request to a web server. */
export interface WebRequestOptions {
  readonly method: string;
  readonly url: string;
  readonly user: { readonly name: string; readonly password: string } | null;
  readonly headers: Readonly<Record<string, string>>;
  /** "" for none. */
  readonly body: string;
}

/** Seconds that a request may take. */
const TIMEOUT_SECONDS = 20;
/** Bytes of an answer. */
const MAX_ANSWER = 65_536;

/** A value of curl's configuration file, quoted (curl(1) --config). */
function quoted(text: string): string {
  if (/\p{Cc}/u.test(text)) throw new Error("A request has a line break or control character");
  return `"${text.replace(/[\\"]/g, (letter) => `\\${letter}`)}"`;
}

/**
 * Sends a request by curl, whose options go by standard input, since they hold secrets. Throws an Error
 * for people where nothing comes back; it never quotes the request.
 */
export async function webRequest(
  { method, url, user, headers, body }: WebRequestOptions,
): Promise<{ readonly status: number; readonly text: string }> {
  const options = [
    `url = ${quoted(url)}`,
    `request = ${quoted(method)}`,
    'user-agent = "Sluice"',
    ...(user === null ? [] : [`user = ${quoted(`${user.name}:${user.password}`)}`]),
    ...Object.entries(headers).map(([name, value]) => `header = ${quoted(`${name}: ${value}`)}`),
    ...(body === "" ? [] : [`data-raw = ${quoted(body)}`]),
    "",
  ].join("\n");
  const result = await run("curl", {
    args: [
      ...["--silent", "--globoff", "--proto", "=http,https", "--noproxy", "*"],
      ...["--max-time", String(TIMEOUT_SECONDS), "--connect-timeout", "10"],
      ...["--max-filesize", String(MAX_ANSWER), "--write-out", "\n%{http_code}", "--config", "-"],
    ],
    stdin: options,
    seconds: TIMEOUT_SECONDS + 5,
    maxOutput: 2 * MAX_ANSWER,
  });
  if (!result.ok) throw new Error(reason(result.code));
  const end = result.stdout.lastIndexOf("\n");
  return { status: Number(result.stdout.slice(end + 1)) || 0, text: result.stdout.slice(0, end) };
}

/** What an exit status of curl(1) means. */
function reason(code: number): string {
  switch (code) {
    case 6:
      return "The name of the server cannot be resolved";
    case 7:
      return "The server cannot be reached";
    case 28:
      return "The server did not respond in time";
    case 35:
    case 60:
      return "The certificate of the server is not valid";
    default:
      return `The request failed (curl ${code})`;
  }
}
