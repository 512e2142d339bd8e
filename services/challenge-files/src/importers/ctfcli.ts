import { Defaults, InputLimits } from '@capstan/contract/limits'
import type { ScoreCurve } from '@capstan/contract/score'
import type { ChallengeFile, ContainerRule, FlagRule } from '../format/challenge.ts'
import { challengeApiVersion } from '../format/challenge.ts'
import type { Finding } from '../report.ts'
import { type FileTree, folderOf, nameOf, trimSlashes } from '../tree.ts'
import { readYaml, type Source } from '../yaml.ts'
import type { Dialect } from './dialect.ts'
import { Fields } from './fields.ts'
import { nameFrom } from './names.ts'
import { attachmentFile, flagText, isPort, readBuild, readCategory, readResources } from './parts.ts'
import { constantCurve, fitCurve } from './score-curve.ts'

/** Challenges of ctfcli, which brings them to CTFd: `challenge.yml` with `value`, `type` and `flags`. */

/** Present value of a dynamic challenge there, by the number of its solvers; the first pays nothing. */
const dynamicValue =
  ({ initial, decay, minimum, isLinear }: { initial: number; decay: number; minimum: number; isLinear: boolean }) =>
  (solvers: number): number => {
    const others = solvers - 1
    const value = isLinear ? initial - decay * others : ((minimum - initial) / decay ** 2) * others ** 2 + initial
    return Math.max(minimum, Math.ceil(value))
  }

const toScore = ({ originalScore, minScoreRate, difficulty }: ScoreCurve): ChallengeFile['score'] => ({
  points: originalScore,
  minimumShare: Number(minScoreRate.toFixed(4)),
  difficulty,
})

const readScore = (fields: Fields): ChallengeFile['score'] => {
  const type = fields.text('type')?.toLowerCase()
  const extra = fields.fields('extra')
  const read = (key: string): number | undefined => extra?.number(key) ?? fields.number(key)
  const value = fields.number('value')
  const initial = read('initial') ?? value
  const decay = read('decay')
  const minimum = read('minimum') ?? 0
  const isLinear = extra?.text('function') === 'linear'
  extra?.rest()
  if (type === undefined || type === 'standard') {
    return value === undefined
      ? undefined
      : toScore(constantCurve(Math.min(InputLimits.scoreMax, Math.max(0, Math.round(value)))))
  }
  if (type !== 'dynamic') fields.note('type', 'converted', `\`${type}\` is no type of challenge here.`)
  if (initial === undefined) return undefined
  const points = Math.min(InputLimits.scoreMax, Math.max(0, Math.round(initial)))
  if (decay === undefined || decay <= 0)
    return {
      points,
      minimumShare: points === 0 ? 1 : Math.min(1, Math.max(0, minimum / points)),
      difficulty: Defaults.difficulty,
    }
  const { curve, difference } = fitCurve(points, minimum, dynamicValue({ initial: points, decay, minimum, isLinear }))
  fields.note(
    'type',
    'converted',
    difference === 0
      ? 'The value falls as it did.'
      : `The value falls along another curve, which differs by up to ${difference} points.`,
  )
  return toScore(curve)
}

const readFlags = (fields: Fields): FlagRule[] =>
  fields.list('flags').flatMap((entry, index): FlagRule[] => {
    if (typeof entry === 'string' || typeof entry === 'number') return flagText(fields, 'flags', String(entry))
    const flag = fields.element('flags', index, entry)
    const type = flag.text('type') ?? 'static'
    const content = flag.text('content') ?? flag.text('flag') ?? ''
    const ignoreCase = flag.take('data') === 'case_insensitive'
    flag.rest()
    if (type === 'static') return flagText(flag, 'content', content, ignoreCase)
    if (type === 'regex' && content !== '') return [{ pattern: content, ...(ignoreCase ? { ignoreCase } : {}) }]
    flag.note('type', 'left-out', `Flags of the type \`${type}\` are not known here.`)
    return []
  })

const readHints = (fields: Fields): NonNullable<ChallengeFile['hints']> =>
  fields.list('hints').flatMap((entry, index) => {
    if (typeof entry === 'string') return entry.trim() === '' ? [] : [{ text: entry }]
    const hint = fields.element('hints', index, entry)
    const text = hint.text('content')
    const title = hint.text('title')
    const cost = hint.number('cost')
    hint.leaveOut({ requirements: 'Every hint can be read without another.' })
    hint.rest()
    if (text === undefined || text.trim() === '') return []
    return [
      {
        text: title === undefined ? text : `**${title}** ${text}`,
        ...(cost === undefined || cost <= 0 ? {} : { cost: Math.min(InputLimits.scoreMax, Math.round(cost)) }),
      },
    ]
  })

/** `image` is a folder to build, or the name of an image. */
const readContainer = (tree: FileTree, file: string, fields: Fields): ContainerRule | undefined => {
  const image = fields.text('image')
  const protocol = fields.text('protocol')
  const older = fields.fields('containers')
  const speaks = protocol?.startsWith('http') === true ? ('http' as const) : ('tcp' as const)
  if (older !== undefined) {
    // An older shape: containers by name, and the ports that are opened.
    const [name, ...others] = older.keys
    for (const other of others) older.note(other, 'left-out', 'One container of a challenge runs for each team.')
    const container = name === undefined ? undefined : older.fields(name)
    const build = container === undefined ? undefined : readBuild(tree, file, container)
    const ports = (container?.list('ports') ?? []).flatMap((entry, index) => {
      const port = typeof entry === 'number' ? entry : container?.element('ports', index, entry).number('containerPort')
      return isPort(port) ? [{ port, speaks }] : []
    })
    const resources = readResources(container?.fields('resources'))
    container?.rest()
    if (build === undefined || ports.length === 0) {
      fields.note('containers', 'left-out', 'Nothing of it can be reached: it has no folder to build or no port.')
      return undefined
    }
    return { build, ports, ...resources }
  }
  if (image === undefined || image.trim() === '') return undefined
  const folder =
    image.startsWith('.') || tree.paths.some((path) => path.startsWith(`${[folderOf(file), image].filter(Boolean).join('/')}/`))
  const port = folder ? exposedPort(tree, file, image) : undefined
  if (port === undefined) {
    fields.note(
      'image',
      'converted',
      `No port is named: ${Defaults.exposedPort} is taken.`,
      'Set `container.ports` to the port that the challenge listens on.',
    )
  }
  const where = trimSlashes(image.replace(/^\.\//, ''))
  return {
    ...(folder ? { build: { context: where === '' ? '.' : where } } : { image: image.replace(/^(?:docker|registry):\/\//, '') }),
    ports: [{ port: port ?? Defaults.exposedPort, speaks }],
  }
}

/** The first port that a Dockerfile exposes. */
const exposedPort = (tree: FileTree, file: string, folder: string): number | undefined => {
  const path = [folderOf(file), trimSlashes(folder.replace(/^\.\/?/, '')), 'Dockerfile'].filter(Boolean).join('/')
  if (!tree.paths.includes(path)) return undefined
  const port = Number(/^[ \t]*EXPOSE[ \t]+(\d{1,5})/im.exec(tree.readText(path, 256 * 1024))?.[1])
  return isPort(port) ? port : undefined
}

const readOne = (tree: FileTree, source: Source, findings: Finding[]): ChallengeFile => {
  const { file } = source
  const fields = new Fields(source, findings)
  const title = fields.text('name') ?? nameOf(folderOf(file))
  const { category, tags: fromCategory } = readCategory(fields, 'category', fields.text('category'))
  const flags = readFlags(fields)
  if (flags.length === 0) fields.note('flags', 'refused', 'No flag is named, so that nobody could solve it.')
  const authors = fields.texts('author')
  const tags = [...new Set([...fields.texts('tags'), ...fields.texts('topics'), ...fromCategory])].filter(
    (tag) => tag.trim() !== '',
  )
  const state = fields.text('state')
  const attachments = fields.texts('files').flatMap((path) => attachmentFile(tree, file, fields, 'files', path))
  const hints = readHints(fields)
  const container = readContainer(tree, file, fields)
  const score = readScore(fields)
  const description = (fields.text('description') ?? '').trimEnd()
  const attribution = fields.text('attribution')
  fields.leaveOut({
    host: 'Instances run in the cluster of the platform.',
    connection_info: 'Players read the address of their own instance beside the description.',
    healthcheck: 'An instance is ready when it accepts connections.',
    attempts: 'How often a team may try is not limited.',
    requirements: 'Every challenge can be solved without another.',
    next: 'Challenges follow in the order that players choose.',
    solution: 'Solutions stay in the repository.',
    version: 'This is the version of the format.',
    expose: 'The platform chooses the outer port.',
    replicas: 'Each team starts an instance of its own.',
    module: 'Challenges are grouped by category.',
    logic: 'Any of the flags is right.',
  })
  fields.rest()
  return {
    apiVersion: challengeApiVersion,
    kind: 'Challenge',
    name: nameFrom(title),
    title: title.slice(0, InputLimits.titleMaxLength),
    category,
    ...(authors.length === 0 ? {} : { authors }),
    ...(tags.length === 0
      ? {}
      : { tags: tags.slice(0, InputLimits.tagsMax).map((tag) => tag.slice(0, InputLimits.tagMaxLength)) }),
    ...(state === undefined ? {} : { enabled: state === 'visible' }),
    description: attribution === undefined || attribution === '' ? description : `${description}\n\n${attribution}`,
    ...(score === undefined ? {} : { score }),
    flags,
    ...(hints.length === 0 ? {} : { hints }),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(container === undefined ? {} : { container }),
  }
}

export const ctfcli: Dialect = {
  name: 'ctfcli',
  recognizes: (file, value) =>
    /^challenge\.ya?ml$/.test(nameOf(file)) && 'name' in value && 'flags' in value && !('apiVersion' in value),
  read: (tree, file) => {
    const findings: Finding[] = []
    const [source] = readYaml(tree, file, '1.1')
    if (source === undefined) throw new Error(`${file} is empty`)
    return { challenge: readOne(tree, source, findings), findings }
  },
}
