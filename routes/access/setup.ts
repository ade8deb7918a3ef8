import * as z from "zod";
import { FIRST_ADMIN } from "../../system/access/first_start.ts";
import { Role } from "../../system/access/roles.ts";
import { storedPassword } from "../../system/access/rules.ts";
import { identityOf } from "../http/authentication.ts";
import { type Route, route } from "../http/route.ts";
import type { AccessDeps } from "./deps.ts";

/** The sign-in stage of a browser. */
const Stage = z.object({
  stage: z.enum(["setup", "out", "code", "in"]),
  /** The user's name; "" for none. */
  user: z.string(),
  /** What the user may do; null for none. */
  role: Role.nullable(),
  /** True until setup is complete. */
  open: z.boolean(),
  /** False while the setup code is still the password of `admin`. */
  passwordSet: z.boolean(),
  codeFile: z.string().optional().describe(
    "While the setup guide is next: the file on the router with the setup code, where there is one",
  ),
}).meta({ id: "Stage" });

/** Health check, and the state of setup. */
export function setupRoutes({ access, engine }: AccessDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/status",
      summary: "Health check of the API",
      description: "Answers `Online` to valid credentials; the cheapest way to check both.",
      examples: { response: "Online" },
      tag: "Access",
      access: "auth",
      response: z.string(),
    }, () => "Online"),
    route({
      method: "GET",
      path: "/setup",
      summary: "Whether setup is still required",
      description:
        "200 while setup is open; 400 with a plain text once it is done, as existing clients " +
        "expect.",
      examples: { response: { status: "ok" } },
      tag: "Access",
      access: "public",
      response: z.object({ status: z.string() }),
      textErrors: [400],
    }, () =>
      access.setup.isOpen
        ? { status: "ok" }
        // Existing clients show this text as it is.
        : new Response("setup already done\n", {
          status: 400,
          headers: { "content-type": "text/plain; charset=utf-8" },
        })),
    route({
      method: "GET",
      path: "/auth/stage",
      summary: "Next step of this browser",
      description:
        "`setup`: run the setup guide. `out`: sign in, also while setup is open, once it has set " +
        "the admin's password. `code`: verify the second factor. `in`: signed in.",
      examples: {
        response: { stage: "in", user: "admin", role: "admin", open: false, passwordSet: true },
      },
      tag: "Access",
      access: "public",
      response: Stage,
      errors: [429],
    }, async ({ c }): Promise<z.output<typeof Stage>> => {
      const open = access.setup.isOpen;
      const passwordSet = !open ||
        access.setup.hasPassword(storedPassword(engine.config, FIRST_ADMIN));
      const { principal, alwaysOn, otp } = await identityOf(c);
      if (principal?.kind === "user") {
        const { name: user, role } = principal;
        return { stage: alwaysOn && !otp ? "code" : "in", user, role, open, passwordSet };
      }
      const nobody = { user: "", role: null, open, passwordSet } as const;
      if (passwordSet) return { stage: "out", ...nobody };
      const codeFile = await access.setupCodeFile();
      const file = codeFile === null ? {} : { codeFile };
      return { stage: "setup", ...nobody, ...file };
    }),
  ];
}
