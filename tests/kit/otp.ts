import { Secret, TOTP } from "otpauth";
import type { TestRouter } from "./router.ts";

/** Sets a second factor up for the admin; answers the header that proves it. `now`: the router's clock. */
export async function otpOf(
  router: TestRouter,
  now = Date.now(),
): Promise<Record<string, string>> {
  const enrolled = await router.json<{ OTPUsers: { Secret: string }[] }>("PUT", "/otp_register", {
    body: { Name: "admin" },
  });
  const totp = new TOTP({ secret: Secret.fromBase32(enrolled.OTPUsers[0]!.Secret) });
  const jwt = await router.json<string>("PUT", "/otp_validate", {
    body: { Name: "admin", Code: totp.generate({ timestamp: now }) },
  });
  return { "x-jwt-otp": jwt };
}
