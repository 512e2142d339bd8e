/**
 * Maximum number of rows per statement. The limit is necessary, because PostgreSQL accepts at most 65,534 parameters per statement.
 */
const batchRows = 2_000

/**
 * Inserts many rows with few statements.
 * @returns the results of the statements, in the order of the rows
 */
export async function insertInBatches<Row, Result>(
  rows: readonly Row[],
  insert: (batch: Row[]) => PromiseLike<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < rows.length; start += batchRows)
    results.push(...(await insert(rows.slice(start, start + batchRows))))
  return results
}
