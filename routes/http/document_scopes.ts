import type { Context } from "hono";
import { admit } from "../../system/access/identity.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { identityOf } from "./authentication.ts";
import type { Route } from "./route.ts";

/** Throws Problem 403 where the caller may not change one of these documents. */
export type Permit = (documents: readonly string[]) => void;

/**
 * Who may change a document other than by a route of its own, as an undo does: an admin any, others one
 * whose own writing routes they cover, every one of them, since an undo may change any part of it.
 */
export function documentScopes(routes: () => readonly Route[]): (c: Context) => Promise<Permit> {
  return async (c) => {
    const identity = await identityOf(c);
    return (documents) => {
      if (identity.principal?.kind === "user" && identity.principal.role === "admin") return;
      for (const name of documents) {
        const owners = routes().map(({ description }) => description)
          .filter(({ document, alsoWrites = [], method }) =>
            method !== "GET" && [document, ...alsoWrites].some((one) => one === name)
          );
        if (owners.length === 0) {
          throw new Problem(403, `This changes ${name}, which needs an admin`);
        }
        for (const { access, method, path } of owners) {
          admit(identity, { access, method, path, setupOpen: false });
        }
      }
    };
  };
}
