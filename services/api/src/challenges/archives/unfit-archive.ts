import { Problem } from '@capstan/contract/problems'

/** Problem `import.archive` with a sentence that gives the reason. */
export class UnfitArchive extends Problem {
  constructor(why: string) {
    super('import.archive', { detail: why })
    this.message = why
  }
}
