import { Problem } from '@capstan/contract/problems'

/** Problem `import.archive`. Its sentence gives the reason. */
export class UnfitArchive extends Problem {
  constructor(why: string) {
    super('import.archive', { detail: why })
    this.message = why
  }
}
