// Texts for answers to tickets. Rules: docs/contract/tickets.md#canned-answers.
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { CannedAnswer, CannedAnswerWrite } from '@capstan/contract/tickets'
import type { ServerDeps } from '../../server/deps.ts'
import { createCannedAnswerRepository } from './canned-repository.ts'

type CannedDeps = Pick<ServerDeps, 'db'>

function trimmed({ title, text }: CannedAnswerWrite): CannedAnswerWrite {
  return { title: title.trim(), text: text.trim() }
}

export function listCannedAnswers({ db }: CannedDeps): Promise<CannedAnswer[]> {
  return createCannedAnswerRepository(db).list()
}

/** @throws Problem `canned-answer.too-many` */
export async function createCannedAnswer({ db }: CannedDeps, written: CannedAnswerWrite): Promise<CannedAnswer> {
  const answers = createCannedAnswerRepository(db)
  // Two concurrent calls may exceed the limit. This is harmless, because the limit only prevents very long lists.
  if ((await answers.count()) >= Limits.maxCannedAnswers) throw new Problem('canned-answer.too-many')
  return answers.insert(trimmed(written))
}

/** @throws Problem `canned-answer.unknown` */
export async function updateCannedAnswer({ db }: CannedDeps, id: number, written: CannedAnswerWrite): Promise<CannedAnswer> {
  const answer = await createCannedAnswerRepository(db).update(id, trimmed(written))
  if (!answer) throw new Problem('canned-answer.unknown')
  return answer
}

/** @returns the title of the answer @throws Problem `canned-answer.unknown` */
export async function deleteCannedAnswer({ db }: CannedDeps, id: number): Promise<string> {
  const title = await createCannedAnswerRepository(db).delete(id)
  if (title === undefined) throw new Problem('canned-answer.unknown')
  return title
}
