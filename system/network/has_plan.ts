import type { NetworkState } from "../core/engine/change.ts";

/**
 * Whether the configuration decides what the processes beside the api do. It does not on the model
 * that every start begins with, nor while the kernel cannot be changed: then they continue as before,
 * so that no connection ends because the api restarts. While released or blocked they do nothing.
 */
export function hasPlan({ state }: Pick<NetworkState, "state">): boolean {
  return state !== "model" && state !== "broken";
}
