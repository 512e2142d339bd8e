import type { Finding } from '../../doctor/attempts.ts'
import { type FindObject, type Guard, inspect } from '../guards/guards.ts'

/** Whether what must be in place around challenges is, before anything is tried: some of it shows in no attempt of one moment. */
export const inspectAll = (guards: readonly Guard[], find: FindObject): Promise<Finding[]> =>
  Promise.all(
    guards.map(async (guard): Promise<Finding> => {
      const { control, resource, name } = guard
      const title = `run without the ${resource.kind} ${name}`
      try {
        const refusal = await inspect(guard, find)
        return { title, control, outcome: refusal === undefined ? 'blocked' : 'escaped', detail: refusal ?? 'in place' }
      } catch (error) {
        return { title, control, outcome: 'broken', detail: (error as Error).message }
      }
    }),
  )
