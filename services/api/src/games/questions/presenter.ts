import type { Answer, EditedQuestion, Question, RegistrationForm } from '@capstan/contract/questions'
import type { StoredAnswer } from './repository.ts'

export function presentAnswer({ questionId, values, file }: StoredAnswer): Answer {
  return { questionId, values, file: file && { id: file.id, name: file.name, sizeBytes: file.sizeBytes } }
}

function presentQuestion({ archived: _, ...question }: EditedQuestion): Question {
  return question
}

type FormFacts = Readonly<{
  questions: readonly EditedQuestion[]
  answers: readonly StoredAnswer[]
  missing: readonly EditedQuestion[]
  isCaptain: boolean
  isOpen: boolean
}>

export function presentForm({ questions, answers, missing, isCaptain, isOpen }: FormFacts): RegistrationForm {
  const asked = new Set(questions.map(({ id }) => id))
  return {
    questions: questions.map(presentQuestion),
    answers: answers.filter(({ questionId }) => asked.has(questionId)).map(presentAnswer),
    missing: missing.map(({ id }) => id),
    isCaptain,
    isOpen,
  }
}
