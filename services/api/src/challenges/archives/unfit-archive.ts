import { Problem } from '@capstan/contract/problems'

/** An archive that is not read, as `import.archive`; its message says in a sentence why, and so does the detail of the answer. */
export class UnfitArchive extends Problem {
  constructor(why: string) {
    super('import.archive', { detail: why })
    this.message = why
  }
}
