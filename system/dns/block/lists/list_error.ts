/** Why a list was not fetched; the message is shown to the user. */
export class ListError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ListFault";
  }
}
