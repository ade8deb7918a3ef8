/** Rounds of PBKDF2 in the records that the program makes (system/access/password/password.ts). */
const ROUNDS = 600_000;

const derive = crypto.subtle.deriveBits.bind(crypto.subtle);

/**
 * Lets this process hash passwords at the usual cost in one round. A router of a test makes a record
 * and verifies one, which are meant to take long and would be most of what the test takes. Records look
 * as ever, and fit the password that they are of and no other, in this process. What a record really
 * is, and that others can verify it, is tested where nobody imports this (tests/unit/access/).
 */
function hashQuickly(): void {
  crypto.subtle.deriveBits = (algorithm, key, length) =>
    typeof algorithm === "object" && "iterations" in algorithm && algorithm.iterations === ROUNDS
      ? derive({ ...algorithm, iterations: 1 } as Pbkdf2Params, key, length)
      : derive(algorithm, key, length);
}

hashQuickly();
