import type { PppoeConnection } from "../plan_schema.ts";

/**
 * A value as pppd reads it between quotes, where a backslash takes the next character as it is
 * (pppd(8), OPTIONS FILES). Throws RangeError for a value with a line break.
 */
function quoted(text: string): string {
  // deno-lint-ignore no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(text)) {
    throw new RangeError("A text for pppd holds a control character");
  }
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

function word(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/.test(text)) {
    throw new RangeError(`${JSON.stringify(text)} is no interface name`);
  }
  return text;
}

/**
 * The options of pppd for one account (pppd(8), rp-pppoe's plugin): the routes are ours to set. The
 * text holds the secret: with `user` and `password` pppd looks into no file of secrets, neither the
 * machine's own in /etc/ppp nor another. `log`: pppd's log file.
 */
export function providerText(connection: PppoeConnection, log: string): string {
  const { mtu } = connection;
  if (mtu !== "" && !/^[1-9]\d{2,3}$/.test(mtu)) throw new RangeError("An MTU is a number");
  return [
    "# Written by Sluice: what is changed here is lost.",
    "plugin pppoe.so",
    `nic-${word(connection.link)}`,
    `ifname ${word(connection.pppLink)}`,
    `linkname sluice-${word(connection.name)}`,
    `user ${quoted(connection.username)}`,
    `password ${quoted(connection.secret)}`,
    "hide-password",
    `logfile ${quoted(log)}`,
    "noauth",
    "noipdefault",
    "nodefaultroute",
    "persist",
    "maxfail 0",
    "holdoff 5",
    "lcp-echo-interval 10",
    "lcp-echo-failure 3",
    ...(mtu === "" ? [] : [`mtu ${mtu}`, `mru ${mtu}`]),
    "",
  ].join("\n");
}
