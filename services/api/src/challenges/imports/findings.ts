import type { ImportFinding } from '@capstan/contract/imports'
import { ImportLimits } from '@capstan/contract/limits'

/** What is told of a part of a row; `advice` says what to do about it. */
export type Told = Pick<ImportFinding, 'table' | 'field' | 'outcome' | 'why'> & { readonly advice: string }

/** Gathers what was not taken over as it stands: rows that are told the same of stand together. */
export class Findings {
  readonly #byText = new Map<string, ImportFinding>()
  #dropped = 0

  /** @param row its id; absent: the table as a whole */
  add({ table, field, outcome, why, advice }: Told, row?: number | null, count = 1): void {
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

  list(): ImportFinding[] {
    const all = [...this.#byText.values()]
    if (this.#dropped > 0)
      all.push({
        ...{ table: '', field: '', outcome: 'left-out', why: 'There is more to tell than this list holds.' },
        ...{ advice: 'Correct what is listed and look again.', rows: [], count: this.#dropped },
      })
    return all
  }
}
