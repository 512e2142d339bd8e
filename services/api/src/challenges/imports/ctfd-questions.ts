import { randomUUID } from 'node:crypto'
import { InputLimits, Limits } from '@capstan/contract/limits'
import { consentGiven } from '@capstan/contract/question-rules'
import type { EditedQuestion } from '@capstan/contract/questions'
import type { PlannedTeam, PlannedUser } from './ctfd-people.ts'
import type { CtfdTables, Row } from './ctfd-tables.ts'
import type { Findings } from './findings.ts'
import { truncateText } from './truncate.ts'

/** Returns the text of an answer to a registration question. Some databases export the text as JSON. */
function answerText(row: Row): string {
  const text = row.text('value').trim()
  try {
    const parsed: unknown = text.startsWith('"') ? JSON.parse(text) : text
    return typeof parsed === 'string' ? parsed.trim() : text
  } catch {
    return text
  }
}

function fitsShort(text: string): boolean {
  return [...text].length <= Limits.maxShortAnswerLength && !/[\r\n]/.test(text)
}

type Answers = ReadonlyMap<number, readonly Row[]>

/**
 * Converts the fields of the registration to questions.
 * @returns a map from the id of the field to the question
 */
function readFields(tables: CtfdTables, mode: 'users' | 'teams', answers: Answers, findings: Findings) {
  const questions = new Map<number, EditedQuestion>()
  const titles = new Set<string>()
  for (const row of tables.fields) {
    const tell = (field: string, outcome: 'left-out' | 'converted', why: string, advice: string) =>
      findings.add({ table: 'fields', field, outcome, why, advice }, row.id)
    const scope = row.text('type') === 'team' ? 'Team' : 'Member'
    if (scope === 'Team' && mode === 'users') {
      tell('type', 'left-out', 'The event ranked users, but this field is for teams.', 'No action is needed.')
      continue
    }
    if (questions.size === Limits.maxQuestions) {
      const advice = 'Keep the export if you need these values.'
      tell('', 'left-out', `A game has at most ${Limits.maxQuestions} questions.`, advice)
      continue
    }
    const name = row.text('name').trim()
    const wanted = truncateText(name, InputLimits.maxTitleLength).trim() || 'Field'
    const ending = titles.has(`${scope} ${wanted}`) ? ` (${row.id})` : ''
    const title = truncateText(wanted, InputLimits.maxTitleLength - ending.length).trim() + ending
    if (title !== name)
      tell('name', 'converted', 'The name was empty, too long or used twice, so it was changed.', 'Edit the question.')
    titles.add(`${scope} ${title}`)
    const description = row.text('description').trim()
    const help = truncateText(description, Limits.maxQuestionHelpLength).trim()
    if (help !== description) tell('description', 'converted', 'The text was too long and was shortened.', 'Edit the question.')
    const isText = row.text('field_type') !== 'boolean'
    const isShort = (answers.get(row.id) ?? []).every((answer) => fitsShort(answerText(answer)))
    const kind = isText ? (isShort ? 'ShortText' : 'LongText') : 'Consent'
    const question = { id: randomUUID(), scope, kind, title, help, required: row.flag('required') } as const
    questions.set(row.id, { ...question, options: [], archived: false })
  }
  return questions
}

type People = Readonly<{
  mode: 'users' | 'teams'
  users: ReadonlyMap<number, PlannedUser>
  teams: ReadonlyMap<number, PlannedTeam>
}>

/** Answer that the import stores. `userId` is null if the question is for the whole team. */
type PlannedAnswer = Readonly<{
  team: number
  userId: string | null
  questionId: string
  values: readonly string[]
}>

/** Converts the custom fields of accounts and teams to questions of the registration, with their answers. */
export function convertCtfdQuestions(tables: CtfdTables, { mode, users, teams }: People, findings: Findings) {
  const entries = Map.groupBy(tables.field_entries, (row) => row.int('field_id') ?? 0)
  const questions = readFields(tables, mode, entries, findings)
  const teamOf = new Map([...teams.values()].flatMap(({ key, memberIds }) => memberIds.map((userId) => [userId, key] as const)))
  const answers: PlannedAnswer[] = []
  const answered = new Set<string>()
  for (const row of tables.field_entries) {
    const tell = (field: string, outcome: 'left-out' | 'converted', why: string) =>
      findings.add({ table: 'field_entries', field, outcome, why, advice: 'Keep the export if you need the value.' }, row.id)
    const question = questions.get(row.int('field_id') ?? 0)
    if (!question) {
      tell('field_id', 'left-out', 'Its field was not imported.')
      continue
    }
    const userId = question.scope === 'Team' ? null : (users.get(row.int('user_id') ?? 0)?.id ?? null)
    const team = question.scope === 'Team' ? row.int('team_id') : teamOf.get(userId ?? '')
    if (team === undefined || !teams.has(team)) {
      tell(
        question.scope === 'Team' ? 'team_id' : 'user_id',
        'left-out',
        'Only teams of the game and their members have answers.',
      )
      continue
    }
    const text = question.kind === 'Consent' ? (row.flag('value') ? consentGiven : '') : answerText(row)
    const value = truncateText(text, Limits.maxLongAnswerLength).trim()
    const owner = `${team} ${userId} ${question.id}`
    if (value === '') continue
    if (answered.has(owner)) {
      tell('', 'left-out', 'Another row already has an answer to this field.')
      continue
    }
    answered.add(owner)
    if (value !== text) tell('value', 'converted', 'The answer was too long and was shortened.')
    answers.push({ team, userId, questionId: question.id, values: [value] })
  }
  return { questions: [...questions.values()], answers }
}
