import { signal } from "@preact/signals";

/** Identities of the devices that the approval sheet is open for; null while it is closed. */
export const approving = signal<readonly string[] | null>(null);

/** Opens the sheet in which one device or several are approved or blocked. */
export function openApproval(identities: readonly string[]): void {
  if (identities.length > 0) approving.value = identities;
}
