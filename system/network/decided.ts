import type { NetworkState } from "../core/engine/change.ts";

/**
 * Whether it is known what the processes beside the api are to do. It is not on the model that every
 * start begins with, nor while the kernel does not follow: then what they do goes on, so that no
 * connection ends because the api starts anew. Where ours is released or kept out, they do nothing.
 */
export function isDecided({ state }: Pick<NetworkState, "state">): boolean {
  return state !== "model" && state !== "broken";
}
