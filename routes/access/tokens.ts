import { z } from "zod";
import type { Access } from "../../system/access/open.ts";
import { Token, TokenDeletion, TokenRequest } from "../../system/access/schema.ts";
import { type Route, route } from "../http/route.ts";

const TAG = "Tokens";

/** API tokens. */
export function tokenRoutes(access: Access): Route[] {
  return [
    route({
      method: "GET",
      path: "/tokens",
      summary: "API tokens, each by its first characters",
      tag: TAG,
      access: "otp",
      response: z.array(Token),
    }, () => access.tokens.list()),
    route({
      method: "PUT",
      path: "/tokens",
      summary: "Create an API token; only this response contains it in full",
      tag: TAG,
      access: "otp",
      body: TokenRequest,
      response: Token,
      errors: [409],
    }, ({ body }) => access.accounts.createToken(body)),
    route({
      method: "DELETE",
      path: "/tokens",
      summary: "Delete an API token by its value, ID or first characters",
      tag: TAG,
      access: "otp",
      body: TokenDeletion,
      response: Token,
      errors: [404, 409],
    }, ({ body }) => access.accounts.deleteToken(body)),
  ];
}
