import { Problem } from '@capstan/contract/problems'

/** Problem `import.archive`, whose detail is a sentence with the reason. */
export class UnfitArchive extends Problem {
  constructor(why: string) {
    super('import.archive', { detail: why })
    this.message = why
  }
}
