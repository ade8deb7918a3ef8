import { OtpSettings, type Token, TokenRequest } from "../schema.ts";
import { isSecret } from "../otp/totp.ts";

/** An entry of a tokens file that can be imported. */
export type TokenEntry = TokenRequest & { readonly Token: string };

/** A parsed tokens file. */
export interface TokensFile {
  readonly entries: readonly TokenEntry[];
  /** Entries that hold a secret which must not stay in the file. */
  readonly secrets: boolean;
  /** Entries that cannot be imported, without their token. */
  readonly bad: readonly unknown[];
  /** IDs of the entries that we wrote. */
  readonly ids: readonly string[];
  /** Tokens that it names in full, usable or not. */
  readonly tokens: readonly string[];
}

/** The mark at the end of a shortened token. */
const SHORTENED = "…";

/** Reads a parsed `auth_tokens.json`; null when it is no list. */
export function readTokensFile(raw: unknown): TokensFile | null {
  if (!Array.isArray(raw)) return null;
  const entries: TokenEntry[] = [];
  const bad: unknown[] = [];
  let secrets = false;
  for (const item of raw) {
    const token = isObject(item) ? item["Token"] : undefined;
    if (typeof token === "string" && token.endsWith(SHORTENED)) {
      // Our own entries are known already; a bad one that we wrote is kept unchanged.
      if (isObject(item) && item["ID"] === undefined) bad.push(item);
      continue;
    }
    secrets = true;
    const parsed = isObject(item) ? TokenRequest.safeParse(withoutNull(item)) : null;
    if (parsed?.success && typeof token === "string" && token !== "" && token.length <= 1024) {
      entries.push({ ...parsed.data, Token: token });
    } else bad.push(isObject(item) ? { ...item, Token: SHORTENED } : null);
  }
  const strings = (field: string): readonly string[] =>
    raw.flatMap((item) => isObject(item) && typeof item[field] === "string" ? [item[field]] : []);
  return {
    entries,
    secrets,
    bad,
    ids: strings("ID"),
    tokens: strings("Token").filter((token) => token !== "" && !token.endsWith(SHORTENED)),
  };
}

/**
 * What an edit of the tokens file means, in SHA-256 of tokens: those of `origin`, which came from the
 * file, that it names no more are to be revoked; `origin` is what came from it afterwards.
 */
export function revokedByFile(
  origin: readonly string[],
  now: { readonly full: readonly string[]; readonly shortened: readonly string[] },
): { readonly revoked: readonly string[]; readonly origin: readonly string[] } {
  const present = new Set([...now.full, ...now.shortened]);
  const kept = origin.filter((hash) => present.has(hash));
  return {
    revoked: origin.filter((hash) => !present.has(hash)),
    origin: [...new Set([...kept, ...now.full])],
  };
}

/** Contents of the file once its tokens were imported. */
export function tokensCopy(tokens: readonly Token[], bad: readonly unknown[]): unknown {
  return [...tokens, ...bad];
}

/** A parsed one-time password file. */
export interface OtpFile {
  readonly users: OtpSettings["OTPUsers"];
  /** Seconds; 0 when the file says nothing. */
  readonly duration: number;
  /** Entries that hold a secret which must not stay in the file. */
  readonly secrets: boolean;
  /** Number of entries that cannot be imported, those of our own copies not counted. */
  readonly bad: number;
}

/** Reads a parsed `otp_settings.json`; null when it has another shape. */
export function readOtpFile(raw: unknown): OtpFile | null {
  if (!isObject(raw)) return null;
  const list = raw["OTPUsers"] ?? [];
  if (!Array.isArray(list)) return null;
  const open = list.filter((item) => !isObject(item) || item["Secret"] !== "");
  const users = open.flatMap((item) => otpUser(item) ?? []);
  const duration = raw["JWTDurationSeconds"];
  return {
    users,
    duration: isDuration(duration) ? duration : 0,
    secrets: open.length > 0,
    bad: open.length - users.length,
  };
}

function otpUser(item: unknown): OtpSettings["OTPUsers"][number] | null {
  if (!isObject(item)) return null;
  const one = OtpSettings.shape.OTPUsers.element;
  const parsed = one.safeParse({ Confirmed: false, AlwaysOn: false, ...withoutNull(item) });
  if (!parsed.success || parsed.data.Name === "") return null;
  const Secret = parsed.data.Secret.replaceAll(" ", "").toUpperCase();
  return isSecret(Secret) ? { ...parsed.data, Secret } : null;
}

/** Contents of the file once its secrets were imported. */
export function otpCopy(settings: OtpSettings): OtpSettings {
  return { ...settings, OTPUsers: settings.OTPUsers.map((user) => ({ ...user, Secret: "" })) };
}

/** A JWT is valid for one minute to thirty days. */
function isDuration(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 60 && Number(value) <= 30 * 86_400;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function withoutNull(item: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
}
