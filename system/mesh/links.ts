import { parseIpv4 } from "../core/net/net.ts";
import type { LeafRouter, Mesh, MeshLink, ParentCredentials } from "./schema.ts";

/** A router at the other end of a link. */
type Linked<T extends { readonly Link: MeshLink | null }> = T & { readonly Link: MeshLink };

/**
 * The parent of a leaf which wants the leaf's clients on its own network, whether or not the kernel can;
 * null for any other router.
 */
export function linkedParent(
  { LeafMode, ParentCredentials }: Mesh,
): Linked<ParentCredentials> | null {
  const { ParentIP, Link } = ParentCredentials;
  if (!LeafMode || Link === null || parseIpv4(ParentIP) === null) return null;
  return { ...ParentCredentials, Link };
}

/** Leaf routers whose clients are on the network of this parent. */
export function linkedLeaves({ LeafMode, LeafRouters }: Mesh): readonly Linked<LeafRouter>[] {
  return LeafMode ? [] : LeafRouters.flatMap((leaf) => {
    const { IP, Link } = leaf;
    return Link === null || parseIpv4(IP) === null ? [] : [{ ...leaf, Link }];
  });
}
