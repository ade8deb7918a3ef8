/** Why a data file is refused, in words for people; the table that stands stays. */
export class DataError extends Error {
  override readonly name = "DataError";
}
