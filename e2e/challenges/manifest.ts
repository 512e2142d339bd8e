import { readFileSync } from 'node:fs'
import path from 'node:path'
import { challengeTypeOf, type GameFolder, type LoadedChallenge, loadGameFolder } from '@capstan/cli/game-folder'

/** Fields that every demo challenge has in its `capstan.yaml`. */
type ManifestBase = Readonly<{
  slug: string
  title: string
  category: 'Misc' | 'Crypto' | 'Web' | 'Reverse' | 'Forensics' | 'Hardware' | 'PPC' | 'OSINT'
  description: string
  hints: readonly string[]
  points: number
  minimumShare: number
  decay: number
}>

/** Description of a container in the manifest of a demo challenge. */
type ManifestContainer = Readonly<{
  image: string
  port: number
  memoryMb: number
  cpuTenths: number
  storageMb: number
  protocol: 'tcp' | 'http'
  run: readonly [string, ...string[]]
}>

/** One of several containers. The first container is the entry container, to which players connect. */
export type ManifestProgram = ManifestContainer &
  Readonly<{
    name: string
    /** Environment variables of the container. A value `name:port` is replaced by the address of another container. */
    environment: Readonly<Record<string, string>>
    /** Names of containers that must be ready before this container starts. */
    dependsOn: readonly string[]
    receivesFlag: boolean
  }>

/**
 * File that the module `make-attachment.ts` in the challenge's folder creates when the game is seeded. The file is not committed.
 */
type ManifestAttachment = Readonly<{
  fileName: string
}>

type StaticAttachmentManifest = ManifestBase &
  Readonly<{
    type: 'StaticAttachment'
    flags: readonly [string, ...string[]]
    attachment?: ManifestAttachment
  }>

export type DynamicAttachmentManifest = ManifestBase &
  Readonly<{
    type: 'DynamicAttachment'
    /** Template of the flags. `[HEX]` is replaced by 12 random hex digits for each file. */
    fileFlag: string
    /** Number of files to create. It must exceed the number of teams. */
    fileCount: number
    attachment: ManifestAttachment
  }>

type StaticContainerManifest = ManifestBase &
  ManifestContainer &
  Readonly<{
    type: 'StaticContainer'
    flags: readonly [string, ...string[]]
  }>

type DynamicContainerManifest = ManifestBase &
  ManifestContainer &
  Readonly<{
    type: 'DynamicContainer'
    flagTemplate: string
  }>

/** Challenge with several containers. It needs a container engine or a cluster. */
export type SeveralContainersManifest = ManifestBase &
  Readonly<{
    type: 'DynamicContainer'
    flagTemplate: string
    programs: readonly [ManifestProgram, ...ManifestProgram[]]
  }>

export type ChallengeManifest =
  | StaticAttachmentManifest
  | DynamicAttachmentManifest
  | StaticContainerManifest
  | DynamicContainerManifest
  | SeveralContainersManifest

export type ContainerManifest = StaticContainerManifest | DynamicContainerManifest

const root = import.meta.dirname

export function challengeFolder(slug: string): string {
  return path.join(root, slug)
}

/** Command that all containers run. It also works without a container, as a child process. */
const run = ['node', '--max-old-space-size=48', 'server.mjs'] as const

type FileContainer = NonNullable<LoadedChallenge['challenge']['containers']>[number]

function manifestOf({ file, challenge }: LoadedChallenge): ChallengeManifest {
  const {
    name: slug,
    title,
    category,
    description,
    hints = [],
    score,
    flags,
    attachments = [],
    container,
    containers,
  } = challenge
  const wrong = (): never => {
    throw new Error(`${file} is not as the demo game has it`)
  }
  if (typeof description === 'string' || score?.minimumShare === undefined || score.difficulty === undefined) return wrong()
  const base = {
    slug,
    title,
    category: category as ManifestBase['category'],
    description: description.file,
    hints: hints.map((hint) => (typeof hint === 'string' ? hint : hint.text)),
    points: score.points,
    minimumShare: score.minimumShare,
    decay: score.difficulty,
  }
  const [first] = flags
  const texts = flags.flatMap((flag) => ('text' in flag ? [flag.text] : []))
  const type = challengeTypeOf(challenge)
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
  const settingsOf = ({ image, memoryMb, storageMb, cpu, ports: [port] = [] }: Omit<FileContainer, 'name'>): ManifestContainer =>
    !port || image === undefined || memoryMb === undefined || storageMb === undefined || cpu === undefined
      ? wrong()
      : {
          ...{ image, port: port.port, memoryMb, cpuTenths: Math.round(cpu * 10), storageMb },
          protocol: port.speaks === 'http' ? 'http' : 'tcp',
          run,
        }
  const flagTemplate = first && 'template' in first ? first.template : undefined
  if (containers) {
    const [entry, ...further] = containers.map(
      (each): ManifestProgram => ({
        ...settingsOf(each),
        run: each.command as unknown as ManifestContainer['run'],
        name: each.name,
        environment: (each.environment ?? {}) as ManifestProgram['environment'],
        dependsOn: (each.dependsOn ?? []).map((on) => (typeof on === 'string' ? on : on.name)),
        receivesFlag: each.receivesFlag ?? false,
      }),
    )
    if (!entry || flagTemplate === undefined || type !== 'DynamicContainer') return wrong()
    return { ...base, type, flagTemplate, programs: [entry, ...further] }
  }
  const settings = settingsOf(container ?? { ports: [] })
  if (type === 'DynamicContainer') return { ...base, type, flagTemplate: flagTemplate ?? wrong(), ...settings }
  return flag === undefined ? wrong() : { ...base, type, flags: [flag, ...others], ...settings }
}

export function loadDemoGame(): GameFolder {
  const folder = loadGameFolder(root)
  const [finding] = folder.findings
  if (finding) throw new Error(`${finding.file}:${finding.line}: ${finding.why}`)
  return folder
}

/** Returns the manifests of the demo game, sorted by slug. `manifest.test.ts` checks their format. */
export function listManifests(): ChallengeManifest[] {
  return loadDemoGame()
    .challenges.map(manifestOf)
    .sort((left, right) => (left.slug < right.slug ? -1 : 1))
}

export function getDemoGame() {
  const { game } = loadDemoGame()
  if (!game) throw new Error('The demo game has no capstan.yaml')
  return game.game
}

export function getManifest(slug: string): ChallengeManifest {
  const found = listManifests().find((manifest) => manifest.slug === slug)
  if (!found) throw new Error(`There is no demo challenge '${slug}'`)
  return found
}

export function hasContainer(manifest: ChallengeManifest): manifest is ContainerManifest {
  return 'port' in manifest
}
export function hasSeveralContainers(manifest: ChallengeManifest): manifest is SeveralContainersManifest {
  return 'programs' in manifest
}

export function readDescription(manifest: ChallengeManifest): string {
  return readFileSync(path.join(challengeFolder(manifest.slug), manifest.description), 'utf8')
}

export type ImageSource = Readonly<{
  /** Prefix that replaces `capstan/demo-`, for example `registry.example.org/ctf/demo-`. */
  imagePrefix?: string | undefined
  /** Image tag that replaces `dev`, for example a version. */
  imageTag?: string | undefined
}>

/** Returns the image of a container challenge. By default, it is the image in the challenge's manifest. */
export function demoImageName(manifest: Readonly<{ slug: string; image: string }>, source: ImageSource = {}): string {
  if (source.imagePrefix === undefined && source.imageTag === undefined) return manifest.image
  return `${source.imagePrefix ?? 'capstan/demo-'}${manifest.slug}:${source.imageTag ?? 'dev'}`
}
