import type { VNode } from "preact";
import { useLoaded } from "../load/use_loaded.ts";
import { Fault } from "../form/fault.tsx";
import { user } from "../../state/session.ts";
import type { OtpStatus } from "../../wire.ts";
import { t } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

/**
 * Says before the work is done that it needs a second factor, while the account has none; otherwise
 * nothing: the code is requested when it is needed.
 */
export function FactorNote({ what }: { what: string }): VNode | null {
  const { body } = useLoaded<OtpStatus>(
    { path: "/otp_status", query: { name: user.value }, quiet: true },
    [user.value],
  );
  if (body === null || body.State === "registered") return null;
  return (
    <Fault warning title={t("{what} requires a second factor.", { what })}>
      {rich(
        t("This account has no authenticator app. {link} first, or use a passkey when you are asked."),
        { link: <a href="/admin/access">{t("Set it up")}</a> },
      )}
    </Fault>
  );
}
