/** Why a list was not fetched, in a sentence for people. */
export class ListFault extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ListFault";
  }
}
