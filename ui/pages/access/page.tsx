import type { VNode } from "preact";
import { PageHead, type PageProps } from "../../parts/show/page_head.tsx";
import { PasskeysPanel } from "./passkeys.tsx";
import { PasswordPanel } from "./password.tsx";
import { SecondFactorPanel } from "./second_factor.tsx";
import { SessionsPanel } from "./sessions.tsx";
import { TokensPanel } from "./tokens.tsx";
import { role } from "../../state/session.ts";
import { UsersPanel } from "./users.tsx";
import { t } from "../../text/language.ts";

/** Who is signed in where, the password, and the second factor. */
export default function AccessPage({ title }: PageProps): VNode {
  const isAdmin = role.value === "admin";
  return (
    <>
      <PageHead
        title={title}
        note={t("Sign-in methods, sessions, users and API tokens")}
      />
      <div class="cols half">
        <div class="stack">
          <SessionsPanel />
          {isAdmin && <UsersPanel />}
          {isAdmin && <TokensPanel />}
        </div>
        <div class="stack">
          <PasswordPanel />
          <SecondFactorPanel />
          <PasskeysPanel />
        </div>
      </div>
    </>
  );
}
