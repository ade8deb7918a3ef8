import * as z from "zod";
import { hasControl, line } from "../core/net/grammar.ts";
import { LimitedRole, Role } from "./roles.ts";

/** Name of an admin: what Basic can carry (no colon, RFC 7617 section 2) and people can read. */
export const UserName = z.string()
  .min(1, { error: "Enter a user name" })
  .max(64, { error: "Use at most 64 characters" })
  .refine((name) => !hasControl(name) && !name.includes(":") && name !== "__proto__", {
    error: "Use no colon and no control characters in a user name",
  });

/** Admin user names and their password records (`configs/auth/auth_users.json`). */
export const Users = z.record(z.string(), z.string());
export type Users = z.output<typeof Users>;

/** Users who are no admins, by name (`configs/auth/limited_users.json`), with their password records. */
export const LimitedUsers = z.record(
  z.string(),
  z.object({ Role: LimitedRole, Password: z.string() }),
);
export type LimitedUsers = z.output<typeof LimitedUsers>;

/** Longest accepted password, in UTF-16 code units. */
const MAX_PASSWORD_LENGTH = 1024;

/** A new password. */
export const NewPassword = z.string()
  .min(8, { error: "Use at least 8 characters" })
  .max(MAX_PASSWORD_LENGTH, { error: `Use at most ${MAX_PASSWORD_LENGTH} characters` })
  .refine((password) => !password.includes("\0"), { error: "Use no NUL character" });

/** Change of one's own password. */
export const PasswordChange = z.object({
  Current: z.string().max(MAX_PASSWORD_LENGTH, { error: "This is not the current password" }),
  New: NewPassword,
}).meta({ id: "PasswordChange" });

/** A user as it is to be: new, with another role, or with another password. */
export const UserRequest = z.object({
  Role,
  /** Required for a new user; of an existing one it replaces the password. */
  Password: NewPassword.optional(),
}).meta({ id: "UserRequest" });
export type UserRequest = z.output<typeof UserRequest>;

/** A user in responses. Times are unix milliseconds. */
export const UserView = z.object({
  Name: z.string(),
  Role,
  /** True for a second factor that counts: confirmed one-time passwords, or a passkey. */
  SecondFactor: z.boolean(),
  /** Browser sessions that are open. */
  Sessions: z.int(),
  /** When one of the open sessions was last used; 0 without one. */
  LastSeen: z.number(),
}).meta({ id: "UserView" });
export type UserView = z.output<typeof UserView>;

/** Maximum number of paths of one token. */
const MAX_SCOPES = 64;

/** Request for a new token. `Expire` is unix seconds, 0 for never; no paths: everything. */
export const TokenRequest = z.object({
  Name: line(128).default(""),
  Expire: z.int({ error: "Write a whole number of unix seconds, 0 for never" })
    .min(0, { error: "Write unix seconds, 0 for never" })
    .default(0),
  ScopedPaths: z.array(z.string().meta({ pattern: "^/[^\\s?#%\\\\]*$", maxLength: 256 }))
    .max(MAX_SCOPES, { error: `Name at most ${MAX_SCOPES} paths` })
    .default([]),
}).meta({ id: "TokenRequest" });
export type TokenRequest = z.output<typeof TokenRequest>;

/** The token to delete: in full, by its ID, or by the shortened form where that is unique. */
export const TokenDeletion = z.object({
  Token: z.string().max(1024).default(""),
  ID: z.string().max(64).default(""),
}).meta({ id: "TokenDeletion" });

/** A token in responses. `Token` is complete only in the response to its creation. */
export const Token = z.object({
  Name: z.string(),
  Token: z.string(),
  ID: z.string(),
  Expire: z.number(),
  ScopedPaths: z.array(z.string()),
  /** When it was last used, to the minute, in unix seconds; 0: not yet, or before this was kept. */
  LastUsed: z.number(),
}).meta({ id: "ApiToken" });
export type Token = z.output<typeof Token>;

/** Body of the one-time password routes. */
export const OtpRequest = z.object({
  Name: z.string().max(64).default(""),
  Code: z.string().max(32).default(""),
  UpdateAlwaysOn: z.boolean().default(false),
  AlwaysOn: z.boolean().default(false),
}).meta({ id: "OtpRequest" });
export type OtpRequest = z.output<typeof OtpRequest>;

/** State of a user's one-time passwords. */
export const OtpStatus = z.object({
  State: z.enum(["unregistered", "not yet validated", "registered"]),
  AlwaysOn: z.boolean(),
  Confirmed: z.boolean(),
  /** Recovery codes that were not used yet; only once a first code was verified. */
  RecoveryCodes: z.number().int().optional(),
}).meta({ id: "OtpStatus" });
export type OtpStatus = z.output<typeof OtpStatus>;

/** Recovery codes, which are shown this once. */
export const OtpRecovery = z.object({
  Codes: z.array(z.string().meta({ examples: ["q3zf-m7ka-xn2d-5tgw"] })),
}).meta({ id: "OtpRecovery" });

/** One-time password settings, as in the file and in `PUT /otp_register`. */
export const OtpSettings = z.object({
  OTPUsers: z.array(z.object({
    Name: z.string(),
    Secret: z.string(),
    Confirmed: z.boolean(),
    AlwaysOn: z.boolean(),
  })),
  JWTDurationSeconds: z.number(),
}).meta({ id: "OtpSettings" });
export type OtpSettings = z.output<typeof OtpSettings>;

/** Credentials of a sign-in without Basic authentication. */
export const Login = z.object({
  Name: z.string().max(64),
  Password: z.string().max(MAX_PASSWORD_LENGTH),
}).meta({ id: "Login" });

/** Response to a sign-in. Times are unix milliseconds. */
export const LoginAnswer = z.object({
  name: z.string(),
  role: Role,
  id: z.string(),
  expires: z.number(),
  otp: OtpStatus,
}).meta({ id: "LoginAnswer" });

/** A browser session in responses. Times are unix milliseconds. */
export const SessionView = z.object({
  id: z.string(),
  user: z.string(),
  createdAt: z.number(),
  lastSeen: z.number(),
  expires: z.number(),
  source: z.string(),
  agent: z.string(),
  tls: z.boolean(),
  /** Passkey that opened it; null: a password did. */
  passkey: z.string().nullable(),
  current: z.boolean(),
}).meta({ id: "SessionView" });
export type SessionView = z.output<typeof SessionView>;
