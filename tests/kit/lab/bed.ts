import { AssertionError } from "node:assert/strict";
import { buildLab, type Lab, type LabClient, type LabOptions } from "./lab.ts";
import { HANGING, PACE } from "../pace.ts";
import { type LabRouter, type Lease, type RouterOptions, startRouter } from "./router.ts";

/** A client of the lab with its lease. */
export type BedClient = LabClient & Lease;

/** A lab with Sluice in its router and a lease for some of its clients. */
export interface Bed {
  readonly lab: Lab;
  readonly router: LabRouter;
  /** Clients that have a lease. */
  readonly clients: readonly BedClient[];
}

/** How a bed is made. */
export interface BedOptions {
  readonly name: string;
  readonly lab?: LabOptions;
  readonly router?: RouterOptions;
  /** How many clients get a lease; all unless told. */
  readonly leases?: number;
}

/** Builds a bed for the time of the work. */
export async function withBed(
  options: BedOptions,
  work: (bed: Bed) => Promise<void>,
): Promise<void> {
  const lab = await buildLab({ ...options.lab, name: options.name });
  try {
    const router = await startRouter(lab, options.router);
    try {
      const clients: BedClient[] = [];
      for (const client of lab.clients.slice(0, options.leases ?? lab.clients.length)) {
        clients.push({ ...client, ...await router.lease(client) });
      }
      await work({ lab, router, clients });
    } finally {
      await router.close();
    }
  } finally {
    await lab.close();
  }
}

/** Changes a device; throws unless that succeeds. Answers the change's id. */
export async function give(
  router: LabRouter,
  mac: string,
  body: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { Policies } = body;
  // Exactly these policies: a list that says more keeps what a device that joined has.
  const exact = Array.isArray(Policies) ? { AdminAccess: !Policies.includes("noapi") } : {};
  const answer = await router.api("PUT", `/device?identity=${mac}`, {
    body: { ...exact, ...body },
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.headers.get("change-id") ?? "";
}

/**
 * Looks again and again until it holds; throws when it never does. A look that fails, as at a program
 * that just starts, is one at which it does not hold; one that asserts something and fails is an end.
 */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + HANGING;
  let last: unknown;
  const look = (): Promise<boolean> =>
    holds().catch((error) => {
      if (error instanceof AssertionError) throw error;
      last = error;
      return false;
    });
  while (!await look()) {
    if (performance.now() > end) {
      throw new Error(`It never came to pass: ${what}`, { cause: last });
    }
    await new Promise((resolve) => setTimeout(resolve, PACE === 1 ? 100 : 1000));
  }
}
