import { randomUUID } from 'node:crypto'
import type { EditedQuestion } from '@capstan/contract/questions'

/** Returns a question of a registration, by default an optional short text for members. */
export function aQuestion(values: Partial<EditedQuestion> = {}): EditedQuestion {
  return {
    id: randomUUID(),
    scope: 'Member',
    kind: 'ShortText',
    title: 'A question',
    help: '',
    required: false,
    options: [],
    archived: false,
    ...values,
  }
}
