import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type GameFolder, type LoadedChallenge, loadGameFolder, typeOf } from '@capstan/cli/game-folder'

/** What every demo challenge states in its `capstan.yaml`. */
interface ManifestBase {
  /** Name of the folder, and of the image: `capstan/demo-<slug>:dev`. */
  readonly slug: string
  readonly title: string
  readonly category: 'Misc' | 'Crypto' | 'Web' | 'Reverse' | 'Forensics' | 'Hardware' | 'PPC' | 'OSINT'
  /** Markdown file beside the manifest. */
  readonly description: string
  readonly hints: readonly string[]
  readonly originalScore: number
  readonly minScoreRate: number
  readonly difficulty: number
}

/** The container part of a manifest: the image as built, and how the same program runs as a child process. */
interface ManifestContainer {
  readonly image: string
  /** Port the program listens on inside the container. */
  readonly port: number
  readonly memoryMb: number
  readonly cpuTenths: number
  readonly storageMb: number
  /** What a player connects with. */
  readonly protocol: 'tcp' | 'http'
  /** Run in the challenge's folder with FLAG, TEAM_ID, PORT and HOST set. */
  readonly run: readonly [string, ...string[]]
}

/** A file that `make-attachment.ts` beside the manifest makes when the game is seeded: no made file is committed. */
interface ManifestAttachment {
  /** Name players download it under. */
  readonly fileName: string
}

interface StaticAttachmentManifest extends ManifestBase {
  readonly type: 'StaticAttachment'
  readonly flags: readonly [string, ...string[]]
  readonly attachment?: ManifestAttachment
}

export interface DynamicAttachmentManifest extends ManifestBase {
  readonly type: 'DynamicAttachment'
  /** `[HEX]` becomes 12 random hex digits, anew for each file. */
  readonly fileFlag: string
  /** How many files to make; must exceed the number of teams. */
  readonly fileCount: number
  readonly attachment: ManifestAttachment
}

interface StaticContainerManifest extends ManifestBase, ManifestContainer {
  readonly type: 'StaticContainer'
  readonly flags: readonly [string, ...string[]]
}

interface DynamicContainerManifest extends ManifestBase, ManifestContainer {
  readonly type: 'DynamicContainer'
  readonly flagTemplate: string
}

export type ChallengeManifest =
  | StaticAttachmentManifest
  | DynamicAttachmentManifest
  | StaticContainerManifest
  | DynamicContainerManifest

export type ContainerManifest = StaticContainerManifest | DynamicContainerManifest

const root = import.meta.dirname

/** Absolute path of a challenge's folder. */
export const challengeFolder = (slug: string): string => path.join(root, slug)

/** The program of every container, in the image and as a child process. */
const run = ['node', '--max-old-space-size=48', 'server.mjs'] as const

const manifestOf = ({ file, challenge }: LoadedChallenge): ChallengeManifest => {
  const { name: slug, title, category, description, hints = [], score, flags, attachments = [], container } = challenge
  const wrong = (): never => {
    throw new Error(`${file} is not as the demo game has it`)
  }
  if (typeof description === 'string' || score?.minimumShare === undefined || score.difficulty === undefined) return wrong()
  const base = {
    slug,
    title,
    category: category as ManifestBase['category'],
    description: description.file,
    hints: hints.map(({ text }) => text),
    originalScore: score.points,
    minScoreRate: score.minimumShare,
    difficulty: score.difficulty,
  }
  const [first] = flags
  const texts = flags.flatMap((flag) => ('text' in flag ? [flag.text] : []))
  const type = typeOf(challenge)
  if (type === 'DynamicAttachment') {
    if (!first || !('eachTeam' in first)) return wrong()
    const attachment = { fileName: first.as }
    return { ...base, type, fileFlag: first.eachTeam, fileCount: first.count, attachment }
  }
  const [flag, ...others] = texts
  if (type === 'StaticAttachment') {
    const [made] = attachments
    if (flag === undefined) return wrong()
    const attachment = made && 'make' in made ? { attachment: { fileName: made.as } } : {}
    return { ...base, type, flags: [flag, ...others], ...attachment }
  }
  const [port] = container?.ports ?? []
  const { image, memoryMb, storageMb, cpu } = container ?? {}
  if (!port || image === undefined || memoryMb === undefined || storageMb === undefined || cpu === undefined) return wrong()
  const settings = {
    ...{ image, port: port.port, memoryMb, cpuTenths: Math.round(cpu * 10), storageMb },
    protocol: port.speaks ?? 'tcp',
    run,
  } as const
  if (type === 'DynamicContainer')
    return { ...base, type, flagTemplate: first && 'template' in first ? first.template : wrong(), ...settings }
  return flag === undefined ? wrong() : { ...base, type, flags: [flag, ...others], ...settings }
}

/** The files of the demo game. */
export const loadDemoGame = (): GameFolder => {
  const folder = loadGameFolder(root)
  const [finding] = folder.findings
  if (finding) throw new Error(`${finding.file}:${finding.line}: ${finding.why}`)
  return folder
}

/** Every manifest of the demo game, by slug. Their shape is proven by `manifest.test.ts`. */
export const listManifests = (): ChallengeManifest[] =>
  loadDemoGame()
    .challenges.map(manifestOf)
    .sort((left, right) => (left.slug < right.slug ? -1 : 1))

/** The file of the demo game. */
export function getGameFile() {
  const { game } = loadDemoGame()
  if (!game) throw new Error('The demo game has no capstan.yaml')
  return game.game
}

/** The manifest of one challenge. Throws if there is none of that slug. */
export function getManifest(slug: string): ChallengeManifest {
  const found = listManifests().find((manifest) => manifest.slug === slug)
  if (!found) throw new Error(`There is no demo challenge '${slug}'`)
  return found
}

export const hasContainer = (manifest: ChallengeManifest): manifest is ContainerManifest =>
  manifest.type === 'StaticContainer' || manifest.type === 'DynamicContainer'

/** The Markdown text players read. */
export const readDescription = (manifest: ChallengeManifest): string =>
  readFileSync(path.join(challengeFolder(manifest.slug), manifest.description), 'utf8')

/** Where images come from when they are not the ones built locally. */
export interface ImageSource {
  /** Replaces `capstan/demo-` in front of the slug, for example `registry.example.org/ctf/demo-`. */
  readonly imagePrefix?: string | undefined
  /** Replaces `dev`. */
  readonly imageTag?: string | undefined
}

/** Image name of a container challenge; as in its manifest unless another source is given. */
export function imageName(manifest: Pick<ContainerManifest, 'slug' | 'image'>, source: ImageSource = {}): string {
  if (source.imagePrefix === undefined && source.imageTag === undefined) return manifest.image
  return `${source.imagePrefix ?? 'capstan/demo-'}${manifest.slug}:${source.imageTag ?? 'dev'}`
}
