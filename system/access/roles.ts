import * as z from "zod";
import { Problem } from "../core/errors/problem.ts";

/** What a user may do: everything; manage the network; or only read. */
export const Role = z.enum(["admin", "operator", "read-only"], {
  error: "Choose admin, operator or read-only",
}).meta({ id: "UserRole" });
export type Role = z.output<typeof Role>;

/** The roles of users who are no admins. */
export const LimitedRole = Role.exclude(["admin"], { error: "Choose operator or read-only" });

/** The part of a request that a role decides about. */
export interface RoleRequest {
  readonly access: "public" | "auth" | "password" | "otp" | "setup" | null;
  readonly method: string;
  /** The path as the router matched it. */
  readonly path: string;
  /** A WebSocket to a plugin, by which its client may send anything. */
  readonly opensSocket?: boolean | undefined;
}

/** Paths with all below them that only admins read and change: accounts, and copies of everything. */
const ADMINS: readonly string[] = [
  "/auth/users",
  "/tokens",
  "/backup",
  "/plugin/custom_compose_paths",
];

/** Paths with all below them that only admins change: what runs on the machine, and what leaves it. */
const ADMINS_CHANGE: readonly string[] = [
  "/alerts/channels",
  "/autoupdate",
  "/checkupdates",
  "/featureFlags",
  "/firewall/enableTLS",
  "/network/apply",
  "/network/takeover",
  "/plugins/mesh",
  "/plugin",
  "/plugins/db/config",
  "/plugins/lookup/tables",
  "/plugins_api",
  "/plusToken",
  "/releaseSet",
  "/restart",
  "/setup_done",
  "/startPlusExtension",
  "/stopPlusExtension",
  "/time",
  "/update",
];

/** GETs that act, as existing clients call them. */
const GETS_THAT_ACT: readonly RegExp[] = [
  /^\/plugins\/dyndns\/refresh$/,
  // A radio leaves its channel for the time of a scan.
  /^\/iw\/dev\/[^/]+\/scan$/,
];

/** A user's own sign-in, which every role manages. */
const OWN: readonly string[] = [
  "/auth/login",
  "/auth/logout",
  "/auth/password",
  "/auth/sessions",
  "/logout",
  "/otp_jwt_test",
  "/otp_recovery",
  "/otp_register",
  "/otp_validate",
  "/webauthn",
];

/** Refuses what a role does not include. Throws Problem 403. */
export function requireRole(role: Role, request: RoleRequest): void {
  if (isIncluded(role, request)) return;
  const who = neededRole(request) === "admin" ? "only an admin" : "an operator or an admin";
  throw new Problem(403, `Your role is ${role}: ${who} can do this`);
}

/** True where a role includes a request. */
export function isIncluded(role: Role, request: RoleRequest): boolean {
  return RANK[role] >= RANK[neededRole(request)];
}

const RANK: Readonly<Record<Role, number>> = { "read-only": 0, operator: 1, admin: 2 };

/** The smallest role that includes a request. */
function neededRole({ method, path, access, opensSocket }: RoleRequest): Role {
  if (includes(OWN, path)) return "read-only";
  const reads = method === "GET" || method === "HEAD";
  if (includes(ADMINS, path) || !reads && includes(ADMINS_CHANGE, path)) return "admin";
  const acts = !reads || opensSocket === true || GETS_THAT_ACT.some((one) => one.test(path));
  return acts || access === "otp" ? "operator" : "read-only";
}

function includes(paths: readonly string[], path: string): boolean {
  return paths.some((one) => path === one || path.startsWith(`${one}/`));
}
