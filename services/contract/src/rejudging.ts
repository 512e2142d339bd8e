import { type Static, Type } from 'typebox'
import { nullable } from './kit.ts'
import { notNegative } from './limits.ts'

function amount(description: string) {
  return Type.Integer({ format: 'int32', ...notNegative, description })
}

/** Numbers that show how a rejudge of a challenge affects accepted teams. */
const effect = {
  changed: amount('Submissions whose status changes.'),
  newlyCorrect: amount('Submissions that become correct.'),
  newlyIncorrect: amount('Submissions that are no longer correct.'),
  gaining: amount('Teams that gain the solve.'),
  losing: amount('Teams that lose the solve.'),
  moving: amount('Teams whose solve gets another submission or time.'),
}

export const RejudgeEffect = Type.Object(effect, { title: 'RejudgeEffect' })
export type RejudgeEffect = Static<typeof RejudgeEffect>

/** Latest rejudge that changed a result. Absent if it was undone. */
export const LastRejudge = Type.Object(
  {
    ...effect,
    time: Type.String({ format: 'date-time' }),
    canUndo: Type.Boolean({ description: 'False if the end of the game or a status has changed since then.' }),
  },
  { title: 'LastRejudge' },
)
export type LastRejudge = Static<typeof LastRejudge>

export const RejudgeForecast = Type.Object(
  {
    ...effect,
    total: amount('Number of judged submissions.'),
    accepted: amount('Teams that would count as solvers.'),
    last: nullable(LastRejudge),
  },
  { title: 'RejudgeForecast' },
)
export type RejudgeForecast = Static<typeof RejudgeForecast>

export const RejudgeUndone = Type.Object(
  {
    changed: amount('Submissions whose earlier status is restored.'),
    accepted: amount('Teams that now count as solvers.'),
  },
  { title: 'RejudgeUndone' },
)
export type RejudgeUndone = Static<typeof RejudgeUndone>
