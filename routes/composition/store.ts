import { join } from "node:path";
import {
  AccessCopy,
  type CopyOutcome,
  hasAccessCopy,
  restoreAccess,
} from "../../system/access/access_copy.ts";
import { newSecret } from "../../system/access/otp/totp.ts";
import type { RandomBytes } from "../../system/access/digest.ts";
import type { NoticeBoard } from "../../system/core/events/notice.ts";
import type { Log } from "../../system/core/log/log.ts";
import { openStore, type Store, type StoreLoss } from "../../system/core/store/open.ts";
import { accessOtp } from "../../system/core/store/schema/access.ts";

/** The store of a home, and what to do where an earlier one was lost. */
export interface HomeStore {
  readonly store: Store;
  readonly copy: AccessCopy;
  /**
   * Tells people what was lost. Where nobody knows any more who had a second factor, each of these
   * users needs one that nobody has: a password alone must not open what two kept shut.
   */
  settle(
    users: readonly string[],
    options: { readonly notices: NoticeBoard; readonly random: RandomBytes },
  ): Promise<void>;
}

/** Opens `state/sluice.db`. A damaged one begins anew, with the copy of its access part. */
export async function openHomeStore(
  { home, log, live }: { readonly home: string; readonly log: Log; readonly live: boolean },
): Promise<HomeStore> {
  const path = join(home, "state/access.json");
  const store = await openStore(join(home, "state/sluice.db"));
  const lost = store.loss ??
    (store.isNew && await hasAccessCopy(path)
      ? { reason: "it was deleted or emptied", kept: null }
      : null);
  const outcome = lost === null ? null : await restoreAccess(store.db, path);
  const copy = new AccessCopy({
    db: store.db,
    path,
    live,
    failed: (error) =>
      log.warn("access.copy_not_written", "Could not write the copy of tokens and factors", {
        error,
      }),
  });
  return {
    store,
    copy,
    async settle(users, { notices, random }) {
      if (lost !== null && outcome !== null) {
        if (outcome !== "restored") {
          for (const name of users) {
            const secret = newSecret(random);
            await store.db.insert(accessOtp)
              .values({ name, secret, confirmed: true, alwaysOn: true, lastStep: 0 })
              .onConflictDoNothing();
          }
        }
        const detail = lossText(lost, outcome);
        log.error("store.lost", detail);
        await notices.open("store-lost", detail);
      }
      await copy.write();
    },
  };
}

function lossText({ reason, kept }: StoreLoss, outcome: CopyOutcome): string {
  const begin = `state/sluice.db could not be used: ${reason}. ` +
    (kept === null ? "" : "It is kept as sluice.db.broken. ") +
    "The configuration was read from configs/. The history of changes, what could be undone, open " +
    "notices and sessions are gone; ";
  return outcome === "restored"
    ? `${begin}API tokens, one-time passwords and passkeys come from their copy. Recovery codes count no ` +
      "more: make new ones under Account and tokens"
    : `${begin}API tokens, one-time passwords and passkeys are gone as well. Nobody can sign in with a ` +
      "password alone, since nobody knows who had a second factor: put back state/access.json " +
      "or sluice.db from a backup; or stop Sluice, delete both, and start it: passwords then suffice";
}
