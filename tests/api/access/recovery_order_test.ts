import assert from "node:assert/strict";
import { join } from "node:path";
import type { Attempts } from "../../../system/access/attempts.ts";
import { systemRandom } from "../../../system/access/digest.ts";
import { Otp } from "../../../system/access/otp/otp.ts";
import type { AccessDatabase } from "../../../system/access/store.ts";
import { openStore } from "../../../system/core/store/open.ts";
import { accessRecovery } from "../../../system/core/store/schema/access.ts";
import { codeOf } from "../../kit/access.ts";

const NOW = Date.UTC(2030, 0, 1);
const NONE = { Name: "", Code: "", UpdateAlwaysOn: false, AlwaysOn: false };

/** A database whose first write of recovery codes, after `hold`, waits for `release`. */
function slowDatabase(db: AccessDatabase) {
  const gate = Promise.withResolvers<void>();
  let holds = false;
  const insert = (table: Parameters<AccessDatabase["insert"]>[0]) => {
    if (!holds || table !== accessRecovery) return db.insert(table);
    holds = false;
    return {
      values: (row: { readonly name: string; readonly hashes: readonly string[] }) => ({
        onConflictDoUpdate: async (conflict: never) => {
          await gate.promise;
          await db.insert(accessRecovery).values(row).onConflictDoUpdate(conflict);
        },
      }),
    };
  };
  const slow = new Proxy(db, {
    get: (target, key) => {
      if (key === "insert") return insert;
      const value = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { slow, hold: () => void (holds = true), release: () => gate.resolve() };
}

const CASES: Readonly<Record<string, (otp: Otp, code: string) => Promise<unknown>>> = {
  "makes new codes": (otp, Code) => otp.createRecoveryCodes("admin", { ...NONE, Code }, null),
  "replaces the secret": (otp, Code) => otp.register("admin", { ...NONE, Code }),
  "removes the secret": (otp, Code) => otp.remove("admin", { ...NONE, Code }),
  "deletes the user": (otp) => otp.removeAll("admin"),
  "takes another secret from a file": (otp) =>
    otp.adopt({
      ...{ Name: "admin", Secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP" },
      ...{ Confirmed: true, AlwaysOn: false },
    }),
};

for (const [what, change] of Object.entries(CASES)) {
  Deno.test(`a code whose use is being stored while somebody ${what} revives nothing`, async () => {
    const home = await Deno.makeTempDir({ prefix: "recovery-" });
    const store = await openStore(join(home, "sluice.db"));
    try {
      const { slow, hold, release } = slowDatabase(store.db);
      let now = NOW;
      const clock = () => now;
      const open = (db: AccessDatabase) =>
        Otp.open({
          db,
          now: clock,
          wall: clock,
          steady: clock,
          random: systemRandom,
          attempts: {
            check: () => {},
            add: () => Promise.resolve(),
            clear: () => Promise.resolve(),
          } as unknown as Attempts,
          onWriteError: (error) => {
            throw error;
          },
        });
      const otp = await open(slow);
      const { secret } = await otp.register("admin", NONE);
      await otp.validate("admin", { ...NONE, Code: codeOf(secret, now) });
      now += 30_000;
      const Code = codeOf(secret, now);
      const [used, ...others] = await otp.createRecoveryCodes("admin", { ...NONE, Code }, null);
      now += 30_000;
      hold();
      const use = otp.validate("admin", { ...NONE, Code: used!, UpdateAlwaysOn: true });
      await new Promise((resolve) => setTimeout(resolve, 10));
      const changed = change(otp, codeOf(secret, now));
      // Long enough for the change, were it not to wait.
      await new Promise((resolve) => setTimeout(resolve, 100));
      release();
      await Promise.all([use, changed]);
      for (const known of [otp, await open(store.db)]) {
        assert.ok(
          what === "makes new codes" || known.users().every((user) => user.Secret !== secret),
        );
        for (const Code of [used!, ...others]) {
          await assert.rejects(known.validate("admin", { ...NONE, Code }), { status: 400 });
        }
      }
    } finally {
      store.close();
      await Deno.remove(home, { recursive: true });
    }
  });
}
