import type { CtfdImportFinding } from '@capstan/contract/imports'
import { ImportLimits } from '@capstan/contract/limits'

/** Finding about a part of a row, with advice. */
export type FindingText = Pick<CtfdImportFinding, 'table' | 'field' | 'outcome' | 'why'> & { readonly advice: string }

/** Collects findings about data that the import changes or omits. Rows with the same finding are grouped. */
export class Findings {
  readonly #byText = new Map<string, CtfdImportFinding>()
  #dropped = 0

  /** @param row id of the row; absent if the finding is about the whole table */
  add({ table, field, outcome, why, advice }: FindingText, row?: number | null, count = 1): void {
    const key = JSON.stringify([table, field, outcome, why])
    const known = this.#byText.get(key)
    if (!known && this.#byText.size >= ImportLimits.findings) {
      this.#dropped += 1
      return
    }
    const finding = known ?? { table, field, outcome, why, advice, rows: [], count: 0 }
    finding.count += count
    if (row != null && finding.rows.length < ImportLimits.findingRows) finding.rows.push(row)
    this.#byText.set(key, finding)
  }

  list(): CtfdImportFinding[] {
    const all = [...this.#byText.values()]
    if (this.#dropped > 0)
      all.push({
        ...{ table: '', field: '', outcome: 'left-out', why: 'The list is incomplete, because there are too many findings.' },
        ...{ advice: 'Correct the listed findings, then preview the import again.', rows: [], count: this.#dropped },
      })
    return all
  }
}
