/** What pppd says when a connection is up (pppd 2.4 and 2.5, ipcp.c). */
const UP = /^local {2}IP address /;

/** What pppd and its PPPoE plugin say (pppd(8); plugins/pppoe/discovery.c), and what people are told. */
const PROBLEMS: readonly { readonly said: RegExp; readonly words: string }[] = [
  {
    said: /authentication failed/i,
    words: "The provider refuses the user name or password",
  },
  {
    said: /waiting for PADO|complete PPPoE Discovery/,
    words: "No PPPoE server answers on the link",
  },
  { said: /waiting for PADS/, words: "The PPPoE server opens no session" },
  { said: /timeout sending Config-Requests/, words: "The provider does not agree on a connection" },
  { said: /^No response to \d+ echo-requests/, words: "The provider does not answer any more" },
  { said: /^LCP terminated by peer/, words: "The provider has ended the connection" },
  { said: /^Couldn't |^Can't |^Failed to /, words: "pppd cannot connect" },
];

/** What pppd says at the end of every connection, whatever ended it. */
const ENDED = /^(Modem hangup|Connection terminated)/;

/** Most characters of pppd's own words that are passed on. */
const MAX_LOG_CHARACTERS = 300;

/**
 * What keeps a connection from being up by the log of pppd: "" when it is up, null where the log does
 * not tell. The last word counts.
 */
export function problemIn(log: string): string | null {
  let ended = "";
  for (const line of log.split("\n").reverse()) {
    if (UP.test(line)) return ended;
    if (ENDED.test(line)) ended = `The connection has ended (pppd: ${shown(line)})`;
    const problem = PROBLEMS.find(({ said }) => said.test(line));
    if (problem !== undefined) return `${problem.words} (pppd: ${shown(line)})`;
  }
  return null;
}

/** What a provider sent among it is shown as one line of plain characters. */
function shown(line: string): string {
  return line.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, MAX_LOG_CHARACTERS);
}
