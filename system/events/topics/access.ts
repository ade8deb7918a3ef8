import * as z from "zod";
import { document, text, type Topic, whole } from "./topic.ts";

/** A change of the configuration; `confirmed` where an open confirm window was closed. */
const ChangeEvent = z.union([
  z.strictObject({
    id: text,
    at: whole,
    by: text,
    kind: text,
    summary: text,
    documents: z.array(text),
  }),
  z.strictObject({ id: text, confirmed: z.literal(true) }),
]);

/** A change with its values before and after; secrets read `(hidden)`. */
const AuditEntry = z.strictObject({
  id: text,
  at: whole,
  by: text,
  from: text.nullable(),
  kind: text,
  summary: text,
  patch: z.array(z.strictObject({
    document: text,
    path: z.array(text),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
  })),
  more: whole,
});

/** A sign-in; `username` only of users. */
const SignIn = z.strictObject({
  type: z.enum(["user", "token"]),
  name: text,
  username: text.optional(),
  reason: text,
  ip: text,
  addr: text,
});

/** The end of the sign-ins of a user or token. */
const SignOut = SignIn.omit({ reason: true });
const TokenDeleted = z.strictObject({ id: text, name: text });
const RecoveryEvent = z.strictObject({
  type: z.enum(["created", "used"]),
  username: text,
  left: whole,
});
const SourceLocked = z.strictObject({ addr: text, until: z.number() });
const PasskeyEvent = z.strictObject({
  username: text,
  credential: text,
  ip: text,
  addr: text,
});

/** Topics of sign-ins, admins, and changes of the configuration. */
export const ACCESS_TOPICS: readonly Topic[] = [
  {
    name: "audit",
    what: "who changed what in the configuration, before and after",
    path: "/changes",
    payload: AuditEntry,
  },
  {
    name: "auth:failure",
    what: "a sign-in failed; of requests that are refused alike, one in ten minutes",
    path: "/auth/sessions",
    payload: SignIn,
  },
  {
    name: "auth:lock",
    what: "a source is locked out after failed sign-ins",
    path: "/auth/sessions",
    payload: SourceLocked,
  },
  {
    name: "auth:logout",
    what: "sign-ins of a user or token ended",
    path: "/auth/sessions",
    payload: SignOut,
  },
  {
    name: "auth:recovery",
    what:
      "recovery codes of a user were made (`created`), or one was `used`, with how many are left",
    path: "/auth/sessions",
    payload: RecoveryEvent,
  },
  {
    name: "auth:success",
    what: "a sign-in; of requests with the same credentials, one in ten minutes",
    path: "/auth/sessions",
    payload: SignIn,
  },
  {
    name: "auth:token:delete",
    what: "an API token was deleted or expired",
    path: "/tokens",
    payload: TokenDeleted,
  },
  {
    name: "auth:webauthn:",
    what: "a passkey was registered (`register`) or deleted (`delete`)",
    path: "/webauthn/status",
    payload: PasskeyEvent,
  },
  {
    name: "changes",
    what: "the configuration changed, or a change was confirmed",
    path: "/changes",
    payload: ChangeEvent,
  },
  document("users", "/auth/sessions", "admins or their passwords"),
];
