import type { SolveContext } from '../solve-context.ts'

export async function solve(context: SolveContext): Promise<string> {
  const flag = /flag\{[^}]+\}/.exec(context.description)
  if (!flag) throw new Error('No flag in the description')
  return flag[0]
}
