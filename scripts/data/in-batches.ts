/** Few enough for the parameters of one statement, of which PostgreSQL takes 65,534. */
const batchRows = 2_000

/** Inserts many rows by few statements. @returns what the statements returned, in the order of the rows */
export async function inBatches<Row, Result>(
  rows: readonly Row[],
  insert: (batch: Row[]) => PromiseLike<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < rows.length; start += batchRows)
    results.push(...(await insert(rows.slice(start, start + batchRows))))
  return results
}
