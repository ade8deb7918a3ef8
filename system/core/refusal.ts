/**
 * Why a process cannot start at all: a sentence for the operator, who alone can mend it (a setting,
 * a port, a second Sluice). `main.ts` prints it without a stack trace and exits {@link REFUSED}.
 */
export class Refusal extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Refusal";
  }
}

/** Exit status of a refused start: EX_CONFIG of sysexits.h. Supervisors must not try again. */
export const REFUSED = 78;
