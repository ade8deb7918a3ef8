import type { VNode } from "preact";
import { useTitle } from "../../parts/show/page_title.ts";
import { PasskeysPanel } from "./passkeys.tsx";
import { PasswordPanel } from "./password.tsx";
import { SecondFactorPanel } from "./second_factor.tsx";
import { SessionsPanel } from "./sessions.tsx";
import { TokensPanel } from "./tokens.tsx";

/** Who is signed in where, the password, and the second factor. */
export default function AccessPage(): VNode {
  useTitle("Access");
  return (
    <>
      <div class="head">
        <div>
          <h1>Access</h1>
          <p>How you get into this router, and from where you are signed in</p>
        </div>
      </div>
      <div class="cols half">
        <div class="stack">
          <SessionsPanel />
          <TokensPanel />
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
