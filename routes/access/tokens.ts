import * as z from "zod";
import { Token, TokenDeletion, TokenRequest } from "../../system/access/schema.ts";
import type { AccessDeps } from "./deps.ts";
import { type Route, route } from "../http/route.ts";

const TAG = "Tokens";

/** API tokens. */
export function tokenRoutes({ access, created }: Pick<AccessDeps, "access" | "created">): Route[] {
  return [
    route({
      method: "GET",
      path: "/tokens",
      summary: "API tokens",
      description:
        "Lists the tokens with name, expiry and scope. Only the first characters of each token are " +
        "shown.",
      tag: TAG,
      access: "otp",
      response: z.array(Token),
    }, () => access.tokens.list()),
    route({
      method: "PUT",
      path: "/tokens",
      summary: "Create an API token",
      description:
        "Only this response contains the token in full. Each of `ScopedPaths` is a path prefix, " +
        "followed by `:r` for read-only access; no paths: everything. `Expire` is unix seconds, 0 " +
        "for never.",
      tag: TAG,
      access: "otp",
      body: TokenRequest,
      response: Token,
      errors: [409],
    }, async ({ body }) => {
      const token = await access.accounts.createToken(body);
      await created?.(token);
      return token;
    }),
    route({
      method: "DELETE",
      path: "/tokens",
      summary: "Delete an API token",
      description:
        "Name the token by its value, its ID, or its first characters where those are unique. It " +
        "stops working at once.",
      tag: TAG,
      access: "otp",
      body: TokenDeletion,
      response: Token,
      errors: [404, 409],
    }, ({ body }) => access.accounts.deleteToken(body)),
  ];
}
