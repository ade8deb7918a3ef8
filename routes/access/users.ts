import * as z from "zod";
import { deleteUser } from "../../system/access/rules.ts";
import { UserName, UserRequest, UserView } from "../../system/access/schema.ts";
import type { AccessDeps } from "./deps.ts";
import { type Route, route } from "../http/route.ts";

const TAG = "Access";
const params = z.object({ name: UserName });
const examples = { parameters: { name: "kim" } };

/** The users and their roles. */
export function userRoutes({ access }: AccessDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/auth/users",
      summary: "Users and their roles",
      description:
        "`admin` has full access; `operator` manages the network, but not users, tokens, backups, " +
        "updates or plugins; `read-only` changes nothing but its own sign-in. " +
        "Times are unix milliseconds.",
      examples: {
        response: [
          {
            Name: "admin",
            Role: "admin",
            SecondFactor: true,
            Sessions: 1,
            LastSeen: 1767225600000,
          },
          { Name: "kim", Role: "operator", SecondFactor: false, Sessions: 0, LastSeen: 0 },
        ],
      },
      tag: TAG,
      access: "auth",
      response: z.array(UserView),
    }, () => access.accounts.users((user) => access.passkeys.hasFactor(user))),
    route({
      method: "PUT",
      path: "/auth/users/{name}",
      summary: "Add or change a user",
      description:
        "A new user needs a password. Another role or password ends the user's sessions and JWTs. " +
        "The last admin stays one.",
      examples: { ...examples, body: { Role: "operator", Password: "correct horse battery" } },
      tag: TAG,
      access: "otp",
      params,
      body: UserRequest,
      document: "users",
      errors: [409, 412],
    }, async ({ params: { name }, body, decide }) => {
      const { accounts } = access;
      const isNew = !accounts.knows(name);
      const response = await decide(await accounts.putUserCommand(name, body));
      await accounts.syncUsers();
      if (isNew && accounts.knows(name)) await accounts.beginAnew(name);
      return response;
    }),
    route({
      method: "DELETE",
      path: "/auth/users/{name}",
      summary: "Delete a user",
      description:
        "Ends the user's sessions at once and forgets the passkeys; a later user of the same name " +
        "begins without one-time passwords. The last admin cannot be deleted.",
      examples,
      tag: TAG,
      access: "otp",
      params,
      document: "users",
      errors: [404, 409, 412],
    }, async ({ params, decide }) => {
      const response = await decide(deleteUser(params.name));
      await access.accounts.syncUsers();
      return response;
    }),
  ];
}
