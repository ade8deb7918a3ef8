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
  return { entries, secrets, bad };
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
