/** When the parent of this leaf last sent its devices. In memory only; one sync at a time. */
export class ParentSync {
  #at = 0;
  #devices = 0;

  /** Unix milliseconds; 0 for never since the start. */
  get at(): number {
    return this.#at;
  }

  get devices(): number {
    return this.#devices;
  }

  /** Notes a sync that was taken. */
  taken(at: number, devices: number): void {
    this.#at = at;
    this.#devices = devices;
  }
}
