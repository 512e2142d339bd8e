import type { Finding } from '../../isolation-probe/attempts.ts'
import { checkGuard, type FindObject, type Guard } from '../guards/guards.ts'

/**
 * Checks that all guards (objects that protect challenges) exist. Returns a finding for each guard. The isolation probe cannot
 * replace this check: for example, no attempt of the probe detects that a quota is missing.
 */
export function checkGuards(guards: readonly Guard[], find: FindObject): Promise<Finding[]> {
  return Promise.all(
    guards.map(async (guard): Promise<Finding> => {
      const { control, resource, name } = guard
      const title = `run without the ${resource.kind} ${name}`
      try {
        const fault = await checkGuard(guard, find)
        return { title, control, outcome: fault === undefined ? 'blocked' : 'escaped', detail: fault ?? 'in place' }
      } catch (error) {
        return { title, control, outcome: 'broken', detail: (error as Error).message }
      }
    }),
  )
}
