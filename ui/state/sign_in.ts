import { call, setOtpToken } from "../api/client.ts";
import { passkey } from "../api/passkey.ts";
import type { OtpStatus, Role } from "../wire.ts";
import { role, start, user } from "./session.ts";

/** Signs in; `code` when the account asks for a code as well. Throws ApiProblem. */
export async function signIn(name: string, password: string): Promise<"in" | "code"> {
  setOtpToken(null);
  const { body } = await call<{ name: string; role: Role; otp: OtpStatus }>({
    method: "PUT",
    path: "/auth/login",
    basic: `${name}:${password}`,
    quiet: true,
  });
  user.value = body.name;
  role.value = body.role;
  return body.otp.AlwaysOn ? "code" : "in";
}

/** Signs in by a passkey alone. Throws ApiProblem, or Error where the person gives up. */
export async function signInByPasskey(): Promise<void> {
  setOtpToken(null);
  const { Name } = await passkey<{ readonly Name: string }>("login");
  user.value = Name;
  await start();
}

/** Proves the second factor by a passkey. Throws ApiProblem, or Error where the person gives up. */
export async function proveByPasskey(): Promise<void> {
  setOtpToken(await passkey<string>("validate"));
}

/** Proves the second factor with a code of the authenticator app. Throws ApiProblem. */
export async function proveOtp(code: string): Promise<void> {
  const { body } = await call<string>({
    method: "PUT",
    path: "/otp_validate",
    body: { Name: user.value, Code: code },
    quiet: true,
  });
  setOtpToken(body);
}
