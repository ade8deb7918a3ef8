import * as z from "zod";
import { normalizeMac, parseAddress, parseIpv4, parseRange4 } from "./net.ts";

/**
 * The grammars of everything that comes from outside and may end in a kernel element, a file or an
 * argument. Each schema accepts what people type and yields the one canonical text.
 */

const WIRE_FORM = Symbol("wire form");

/**
 * Names the form that a schema with code of its own takes, for the API document: a JSON Schema cannot
 * be read off a transform.
 */
export function takes<T extends z.ZodType>(schema: T, form: z.ZodType): T {
  return Object.assign(schema, { [WIRE_FORM]: form });
}

/** The form that {@link takes} named. */
export function wireForm(schema: z.core.$ZodType): z.ZodType | undefined {
  return (schema as { readonly [WIRE_FORM]?: z.ZodType })[WIRE_FORM];
}

const OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const IPV4 = `(${OCTET}\\.){3}${OCTET}`;

/** Patterns of the grammars for the API document, none narrower than what is accepted. */
export const PATTERNS = {
  mac: {
    pattern: "^[ ]*[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}[ ]*$",
    examples: ["02:00:00:00:0a:01"],
  },
  ipv4: { pattern: `^${IPV4}$`, examples: ["192.168.2.10"] },
  ip: { pattern: `^(${IPV4}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)$`, examples: ["192.168.2.10"] },
  cidr4: { pattern: `^${IPV4}/(3[0-2]|[12]?[0-9])$`, examples: ["192.168.2.0/24"] },
  range4: { pattern: `^${IPV4}(/(3[0-2]|[12]?[0-9]))?$`, examples: ["192.168.2.0/24"] },
  /** A host address with the prefix of its network. */
  host4: { pattern: `^${IPV4}/(3[0-2]|[12]?[0-9])$`, examples: ["203.0.113.2/24"] },
  port: { pattern: "^[1-9][0-9]{0,4}$", examples: ["443"] },
  ports: {
    pattern: "^(any|0-65535|[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?)$",
    examples: ["443"],
  },
};

/** MAC in any case, pairs joined by `:` or `-`; yields lower case with `:`. */
export const Mac = z.string().meta(PATTERNS.mac).transform((text, context) => {
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
}).meta(PATTERNS.ipv4);

/** IPv4 or IPv6, without a zone. */
export const Ip = z.string().refine((text) => parseAddress(text) !== null, {
  error: "Write an IP address without a zone, such as 192.168.2.10",
}).meta(PATTERNS.ip);

/** IPv4 network whose host bits are zero, as `address/prefix`. */
export const Cidr4 = z.string().refine((text) => {
  const range = text.includes("/") ? parseRange4(text) : null;
  return range !== null && parseIpv4(text.slice(0, text.indexOf("/"))) === range.first;
}, { error: "Write an IPv4 network with its host bits zero, such as 192.168.2.0/24" })
  .meta(PATTERNS.cidr4);

/**
 * Interface name: what the kernel takes (IFNAMSIZ 16 with its NUL; no `/`, blank) narrowed to
 * letters, digits, `-`, `_` and `.`, beginning with a letter or digit. `all` and `default` stand for
 * every link among the kernel's settings (Documentation/networking/ip-sysctl).
 */
export const InterfaceName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/, {
  error: "Write an interface name of at most 15 letters, digits, '.', '-' or '_', such as eth0",
}).refine((name) => name !== "all" && name !== "default", {
  error: "This name is reserved by the kernel; enter the name of one interface, such as eth0",
});

/** WireGuard public key: 32 bytes in base64, 44 characters (wg(8)). */
export const WireguardKey = z.string().regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, {
  error: "Write a WireGuard public key: 32 bytes in base64, 44 characters",
});

/** True when the text has a control character (C0, DEL, C1), a line break, or half a character (UTF-16). */
function isBroken(text: string): boolean {
  return !text.isWellFormed() || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}

/**
 * True when the text has one of these, or a direction mark (Unicode Bidi_Control), with which a text
 * shows as another one: for what stands in logs and paths, and for labels that are compared by eye.
 */
export function hasControl(text: string): boolean {
  return isBroken(text) || /\p{Bidi_Control}/u.test(text);
}

/**
 * Characters that are not drawn and change nothing, but those that join letters or choose their form
 * (emoji, Arabic, Indic scripts) and direction marks, which are refused.
 */
const UNDRAWN = /(?![\u200c\u200d\ufe00-\ufe0f\p{Bidi_Control}])\p{Default_Ignorable_Code_Point}/gu;

/** A text for people in its one form: compatible (NFKC), without characters that are not drawn, trimmed. */
export function oneForm(text: string): string {
  return text.normalize("NFKC").replace(UNDRAWN, "").normalize("NFKC").trim();
}

/** The schema with texts in their {@link oneForm}. */
export function inOneForm(text: z.ZodString): z.ZodString {
  return text.overwrite(oneForm);
}

/**
 * One line of text for people in its {@link oneForm}, at most `max` characters, without control
 * characters and direction marks, with which it would show as another text. What is written right to
 * left needs none: a name is always shown apart from its surroundings.
 */
export function line(max: number): z.ZodType<string> {
  return inOneForm(z.string())
    .max(max, { error: `Use at most ${max} characters` })
    .refine((text) => !isBroken(text), { error: "Use no line breaks or control characters" })
    .refine((text) => !hasControl(text) || isBroken(text), {
      error: "Leave out the marks of writing direction, which are not seen",
    });
}

/** A word that is taken in any case and kept in lower case, as existing clients write some in capitals. */
export function inLowerCase<T extends z.ZodType>(word: T): z.ZodPreprocess<T> {
  return z.preprocess(
    (value) => typeof value === "string" ? value.toLowerCase() : value,
    word,
  );
}
