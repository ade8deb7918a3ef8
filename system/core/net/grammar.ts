import { z } from "zod";
import { normalizeMac, parseAddress, parseIpv4, parseRange4 } from "./net.ts";

/**
 * The grammars of everything that comes from outside and may end in a kernel element, a file or an
 * argument. Each schema accepts what people type and yields the one canonical text.
 */

/** MAC in any case, pairs joined by `:` or `-`; yields lower case with `:`. */
export const Mac = z.string().transform((text, context) => {
  const mac = normalizeMac(text.trim());
  if (mac !== null) return mac;
  context.addIssue({
    code: "custom",
    message: "Write a MAC address as six hex pairs, such as 02:00:00:00:0a:01",
  });
  return z.NEVER;
});

/** IPv4 as a dotted quad without leading zeros. */
export const Ipv4 = z.string().refine((text) => parseIpv4(text) !== null, {
  error: "Write an IPv4 address, such as 192.168.2.10",
});

/** IPv4 or IPv6, without a zone. */
export const Ip = z.string().refine((text) => parseAddress(text) !== null, {
  error: "Write an IP address without a zone, such as 192.168.2.10",
});

/** IPv4 network whose host bits are zero, as `address/prefix`. */
export const Cidr4 = z.string().refine((text) => {
  const range = text.includes("/") ? parseRange4(text) : null;
  return range !== null && parseIpv4(text.slice(0, text.indexOf("/"))) === range.first;
}, { error: "Write an IPv4 network with its host bits zero, such as 192.168.2.0/24" });

/**
 * Interface name: what the kernel takes (IFNAMSIZ 16 with its NUL; no `/`, blank) narrowed to
 * letters, digits, `-`, `_` and `.`, beginning with a letter or digit. `all` and `default` stand for
 * every link among the kernel's settings (Documentation/networking/ip-sysctl).
 */
export const InterfaceName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/, {
  error: "Write an interface name of at most 15 letters, digits, '.', '-' or '_', such as eth0",
}).refine((name) => name !== "all" && name !== "default", {
  error: "The kernel means every link by this word; write the name of one, such as eth0",
});

/** WireGuard public key: 32 bytes in base64, 44 characters (wg(8)). */
export const WireguardKey = z.string().regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, {
  error: "Write a WireGuard public key: 32 bytes in base64, 44 characters",
});

/** True when the text has a control character (C0, DEL, C1), a line break, or half a character (UTF-16). */
export function hasControl(text: string): boolean {
  // deno-lint-ignore no-control-regex
  return !text.isWellFormed() || /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text);
}

/** One line of text for people: no control characters, trimmed, at most `max` characters. */
export function line(max: number): z.ZodType<string> {
  return z.string().trim()
    .max(max, { error: `Use at most ${max} characters` })
    .refine((text) => !hasControl(text), { error: "Use no line breaks or control characters" });
}

/** A word that is taken in any case and kept in lower case, as existing clients write some in capitals. */
export function inLowerCase<T extends z.ZodType>(word: T): z.ZodPreprocess<T> {
  return z.preprocess(
    (value) => typeof value === "string" ? value.toLowerCase() : value,
    word,
  );
}
