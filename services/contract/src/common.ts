import { type Static, Type } from 'typebox'
import { stringEnum } from './kit.ts'
import { Defaults, InputLimits, notNegative } from './limits.ts'
import { roles } from './roles.ts'

/** Outcome of an internal operation. It is also the `status` of the log line about the operation. */
export const TaskResult = stringEnum(['Success', 'Failed', 'Duplicate', 'Denied', 'NotFound', 'Exit', 'Pending'], {
  title: 'TaskResult',
})
export type TaskResult = Static<typeof TaskResult>

export const Role = stringEnum(roles, { title: 'Role' })
export type Role = Static<typeof Role>

/** Body of every failed call. Clients show `title` and distinguish failures by `status`. */
export const ErrorMessage = Type.Object(
  {
    title: Type.String({ description: 'Localised by Accept-Language.' }),
    status: Type.Integer({
      format: 'int32',
      description: 'Normally the HTTP code; 10001 = game not started, 10002 = game over (both sent with HTTP 400).',
      examples: [400, 401, 403, 404, 418, 429, 500, 10001, 10002],
    }),
  },
  { title: 'ErrorMessage' },
)
export type ErrorMessage = Static<typeof ErrorMessage>

/** Success message with a text for the user. */
export const Message = Type.Object(
  {
    title: Type.String(),
    status: Type.Literal(200),
  },
  { title: 'Message' },
)
export type Message = Static<typeof Message>

/**
 * Bonuses of the first three solvers in per mille (0 to 1000), encoded in 10 bits each: first<<20 | second<<10 | third. A bonus
 * of 0 means no bonus. If one of the bonuses is above 1000, the default (50, 30, 10) applies to all three bonuses.
 */
export const BloodBonus = Type.Integer({
  format: 'int64',
  default: Defaults.bloodBonus,
  ...notNegative,
  maximum: InputLimits.maxBloodBonus,
})
export type BloodBonus = Static<typeof BloodBonus>

function bloodPoints() {
  return Type.Integer({ ...notNegative, maximum: InputLimits.maxScore })
}

/** Bonuses of the first three solvers in points. If a game has bonuses in points, its `bloodBonus` does not apply. */
export const BloodPoints = Type.Object({ first: bloodPoints(), second: bloodPoints(), third: bloodPoints() })
export type BloodPoints = Static<typeof BloodPoints>
