import * as z from "zod";
import { line } from "../../core/net/grammar.ts";

/** Bytes as text (RFC 4648 section 5), as WebAuthn's JSON has them; 64 KiB at most. */
const Bytes = z.string({ error: "Send bytes as base64url" })
  .min(1, { error: "Send bytes as base64url" })
  .max(87_382, { error: "This is too long for a passkey" })
  .regex(/^[A-Za-z0-9_-]+$/, { error: "Send bytes as base64url" });

const common = {
  id: Bytes,
  rawId: Bytes,
  type: z.literal("public-key", { error: 'A passkey has the type "public-key"' }),
};

const session = z.string().max(64);

/** The browser's response to a registration: `PublicKeyCredential.toJSON()`. */
export const RegistrationAnswer = z.object({
  session,
  credential: z.object({
    ...common,
    response: z.object({
      clientDataJSON: Bytes,
      attestationObject: Bytes,
      transports: z.array(z.string().max(32)).max(8).default([]),
    }),
  }),
}).meta({ id: "RegistrationAnswer" });
export type RegistrationAnswer = z.output<typeof RegistrationAnswer>;

/** The browser's response to a sign-in or verification. */
export const AssertionAnswer = z.object({
  session,
  credential: z.object({
    ...common,
    response: z.object({
      clientDataJSON: Bytes,
      authenticatorData: Bytes,
      signature: Bytes,
      userHandle: z.string().max(128).optional(),
    }),
  }),
}).meta({ id: "AssertionAnswer" });
export type AssertionAnswer = z.output<typeof AssertionAnswer>;

/** Name of the new passkey. */
export const PasskeyName = z.object({ name: line(64).default("") }).meta({ id: "PasskeyName" });

/** The passkey to delete. */
export const PasskeyDeletion = z.object({ ID: Bytes.max(1366) }).meta({ id: "PasskeyDeletion" });

/** A new ceremony: `Options.publicKey` is for the browser, `Session` is sent back. */
export const CeremonyOptions = z.object({
  Session: z.string(),
  Options: z.object({ publicKey: z.looseObject({ challenge: z.string() }) }),
}).meta({ id: "CeremonyOptions" });
export type CeremonyOptions = z.output<typeof CeremonyOptions>;

/** A user's passkeys. `CreatedAt` and `LastUsed` (0: not yet) are unix seconds. */
export const PasskeyStatus = z.object({
  Registered: z.boolean(),
  Credentials: z.array(z.object({
    ID: z.string(),
    Name: z.string(),
    CreatedAt: z.number(),
    LastUsed: z.number(),
    /** Host name that it works on. */
    Host: z.string(),
  })),
}).meta({ id: "PasskeyStatus" });
export type PasskeyStatus = z.output<typeof PasskeyStatus>;

/** Response to a passkey sign-in, with the session cookie. `Expire` is unix seconds. */
export const PasskeyLogin = z.object({
  Name: z.string(),
  Token: z.string(),
  Expire: z.number(),
}).meta({ id: "PasskeyLogin" });
export type PasskeyLogin = z.output<typeof PasskeyLogin>;
