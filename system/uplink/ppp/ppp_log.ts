/** Message of pppd when a connection is up (pppd 2.4 and 2.5, ipcp.c). */
const UP = /^local {2}IP address /;

/** Messages of pppd and its PPPoE plugin (pppd(8); plugins/pppoe/discovery.c), and their meaning. */
const PROBLEMS: readonly { readonly pattern: RegExp; readonly problem: string }[] = [
  {
    pattern: /authentication failed/i,
    problem: "The provider rejects the user name or password",
  },
  {
    pattern: /waiting for PADO|complete PPPoE Discovery/,
    problem: "No PPPoE server responds on the interface",
  },
  { pattern: /waiting for PADS/, problem: "The PPPoE server opens no session" },
  {
    pattern: /timeout sending Config-Requests/,
    problem: "The provider does not agree on a connection",
  },
  { pattern: /^No response to \d+ echo-requests/, problem: "The provider stopped responding" },
  { pattern: /^LCP terminated by peer/, problem: "The provider has ended the connection" },
  { pattern: /^Couldn't |^Can't |^Failed to /, problem: "pppd cannot connect" },
];

/** Messages of pppd at the end of every connection. */
const ENDED = /^(Modem hangup|Connection terminated)/;

/** Characters of a message of pppd that are reported. */
const MAX_MESSAGE_LENGTH = 300;

/**
 * Why a connection is down, by the log of pppd: "" while it is up, null where the log does not say.
 * The last message counts.
 */
export function problemInLog(log: string): string | null {
  let ended = "";
  for (const line of log.split("\n").reverse()) {
    if (UP.test(line)) return ended;
    if (ENDED.test(line)) ended = `The connection has ended (pppd: ${printable(line)})`;
    const known = PROBLEMS.find(({ pattern }) => pattern.test(line));
    if (known !== undefined) return `${known.problem} (pppd: ${printable(line)})`;
  }
  return null;
}

/** One line of printable ASCII, whatever the provider sent. */
function printable(line: string): string {
  return line.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, MAX_MESSAGE_LENGTH);
}
