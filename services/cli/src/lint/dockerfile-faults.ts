import { containersOf } from '@capstan/challenge-files/format/challenge'
import { type Instruction, parseDockerfile } from '@capstan/challenge-files/jails/dockerfile'
import { joinPath, readTextIfPossible, resolvePath } from '@capstan/challenge-files/tree'
import type { Folder } from '../folder-tree.ts'
import type { LoadedChallenge } from '../game-folder.ts'
import type { LintFinding } from './lint-finding.ts'

const maxDockerfileBytes = 256 * 1024

type Stage = Readonly<{
  name: string | undefined
  base: string
  /** Instructions, `FROM` first. */
  instructions: readonly Instruction[]
}>

function stagesOf(text: string): Stage[] {
  const stages: (Stage & { readonly instructions: Instruction[] })[] = []
  for (const instruction of parseDockerfile(text)) {
    if (instruction.keyword === 'FROM') {
      const [base = '', as, name] = instruction.rest.split(/\s+/).filter((word) => !word.startsWith('--'))
      stages.push({ name: as?.toUpperCase() === 'AS' ? name?.toLowerCase() : undefined, base, instructions: [instruction] })
    } else stages.at(-1)?.instructions.push(instruction)
  }
  return stages
}

/** Returns the stages that an image consists of, the last stage first. A stage can be based on an earlier stage. */
function chainOf(stages: readonly Stage[], target: string | undefined): Stage[] {
  const find = (name: string, before: number) =>
    stages.findLastIndex((stage, index) => index < before && (stage.name === name.toLowerCase() || String(index) === name))
  const chain: Stage[] = []
  let at = target === undefined ? stages.length - 1 : find(target, stages.length)
  for (let stage = stages[at]; stage !== undefined; stage = stages[at]) {
    chain.push(stage)
    at = find(stage.base, at)
  }
  return chain
}

/** Returns the last instruction with a keyword that applies to an image. */
function lastOf(chain: readonly Stage[], keyword: string): Instruction | undefined {
  return chain
    .map(({ instructions }) => instructions.findLast((instruction) => instruction.keyword === keyword))
    .find((found) => found !== undefined)
}

function portFaults(chain: readonly Stage[], ports: readonly number[], from: Instruction): Omit<LintFinding, 'file'>[] {
  const exposing = chain.flatMap(({ instructions }) => instructions.filter(({ keyword }) => keyword === 'EXPOSE'))
  const exposed = exposing.flatMap(({ rest }) => rest.split(/\s+/))
  // EXPOSE refers to a variable, so the port is not known.
  if (exposed.some((each) => each.includes('$'))) return []
  const numbers = new Set(exposed.map((each) => Number(each.split('/')[0])))
  return ports
    .filter((port) => !numbers.has(port))
    .map((port) => ({
      line: exposing[0]?.line ?? from.line,
      why: `The image does not expose port ${port} of the container.`,
      advice: `Add \`EXPOSE ${port}\`.`,
    }))
}

function isRoot(user: string): boolean {
  return /^(?:root|0)(?::|$)/.test(user.trim().replaceAll(/["']/g, ''))
}

function rootFaults(chain: readonly Stage[], from: Instruction): Omit<LintFinding, 'file'>[] {
  const user = lastOf(chain, 'USER')
  const base = chain.at(-1)?.base ?? ''
  if (user === undefined ? /\bnonroot\b|\bunprivileged\b/.test(base) : !isRoot(user.rest)) return []
  return [
    {
      line: user?.line ?? from.line,
      why: 'The image runs as root.',
      advice: 'Add `USER` with another user, or set `user` of the container.',
    },
  ]
}

/** Returns the faults of the Dockerfiles that the images of a challenge are built from. */
export function findDockerfileFaults(tree: Folder, { challenge, folder }: LoadedChallenge): LintFinding[] {
  return containersOf(challenge).flatMap(({ build, ports = [], user }) => {
    const context = build && resolvePath(folder, build.context)
    const file = context === undefined ? undefined : joinPath(context, build?.dockerfile ?? 'Dockerfile')
    const text = file === undefined ? undefined : readTextIfPossible(tree, file, maxDockerfileBytes)
    if (file === undefined || text === undefined) return []
    const chain = chainOf(stagesOf(text), build?.target)
    const from = chain[0]?.instructions[0]
    if (from === undefined) return []
    const open = ports.map(({ port }) => port)
    return [...portFaults(chain, open, from), ...(user === undefined ? rootFaults(chain, from) : [])].map((fault) => ({
      file,
      ...fault,
    }))
  })
}
