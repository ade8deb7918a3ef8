import type { AccessDeps } from "./access/deps.ts";
import { otpRoutes } from "./access/otp.ts";
import { passkeyRoutes } from "./access/passkeys.ts";
import { sessionRoutes } from "./access/sessions.ts";
import { setupRoutes } from "./access/setup.ts";
import { tokenRoutes } from "./access/tokens.ts";
import { userRoutes } from "./access/users.ts";
import type { Route } from "./http/route.ts";

/** Sign-in, tokens, one-time passwords, passkeys and the state of setup. */
export function accessRoutes(deps: AccessDeps): Route[] {
  return [
    ...setupRoutes(deps),
    ...sessionRoutes(deps),
    ...tokenRoutes(deps),
    ...userRoutes(deps),
    ...otpRoutes(deps),
    ...passkeyRoutes(deps),
  ];
}
