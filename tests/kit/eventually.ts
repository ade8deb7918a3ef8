/** What work answers once it does not throw any more; looked for during 10 s at most. */
export async function eventually<T>(what: string, work: () => Promise<T>): Promise<T> {
  let last: unknown;
  for (let looked = 0; looked < 400; looked++) {
    try {
      return await work();
    } catch (error) {
      last = error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  throw new Error(`It did not come about within 10 s: ${what}`, { cause: last });
}
