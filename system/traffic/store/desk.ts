import type { TrafficAnswers, TrafficRequest } from "./messages.ts";
import { readUplinkRows, writeUplinkRows } from "./uplink_rows.ts";
import { TrafficStore } from "./traffic_store.ts";

/** Does what requests ask of the traffic store, which is opened with the first of them. */
export class TrafficDesk {
  readonly #path: string;
  #store: TrafficStore | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  async do(request: TrafficRequest): Promise<TrafficAnswers[TrafficRequest["do"]]> {
    const store = this.#store ??= await TrafficStore.open(this.#path);
    switch (request.do) {
      case "last":
        return await store.last();
      case "store":
        await store.add(request.batch, request.at, request.traffic);
        return null;
      case "overview":
        return await store.overview(request);
      case "device":
        return await store.device(request);
      case "names":
        return await store.names(request);
      case "history":
        return await store.history(request);
      case "trim":
        return await store.trim(request.now, request.days);
      case "uplinks":
        return await readUplinkRows(store.db);
      case "writeUplinks":
        await writeUplinkRows(store.db, request.rows);
        return null;
    }
  }

  close(): void {
    this.#store?.close();
    this.#store = null;
  }
}
