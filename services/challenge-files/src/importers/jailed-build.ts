import { type ChallengeFile, mapContainers, type NamedContainerRule } from '../format/challenge.ts'
import type { ReadSibling } from '../jails/command.ts'
import { convertJail } from '../jails/convert.ts'
import { describeJailLimits, type JailLimits } from '../jails/limits.ts'
import type { Finding } from '../report.ts'
import { type FileTree, folderOf, hasFile, joinPath, nameOf, readTextIfPossible, resolvePath, type WrittenFile } from '../tree.ts'

/**
 * Name of the Dockerfile that replaces the original Dockerfile of a jailed image. The new file is written next to the original.
 */
const convertedName = 'Dockerfile.capstan'

const maxFileBytes = 256 * 1024

export type ConvertedBuild = Readonly<{
  challenge: ChallengeFile
  /** Additional files with their paths in the tree. */
  dockerfiles: readonly WrittenFile[]
  findings: readonly Finding[]
}>

function depthOf(path: string): number {
  return path.split('/').length
}

/** Creates a function that searches a build folder for a file name, and returns the text of the file. */
export function createBuildFileReader(tree: FileTree, context: string): ReadSibling {
  const inside = context === '' ? '' : `${context}/`
  return (path) => {
    const wanted = nameOf(path)
    const [found] = tree.paths
      .filter((each) => each.startsWith(inside) && nameOf(each) === wanted)
      .sort((a, b) => depthOf(a) - depthOf(b))
    return found === undefined ? undefined : readTextIfPossible(tree, found, maxFileBytes)
  }
}

export function readDockerfile(tree: FileTree, path: string): string | undefined {
  return hasFile(tree, path) ? readTextIfPossible(tree, path, maxFileBytes) : undefined
}

type ConvertedContainer = Readonly<{
  container: NamedContainerRule
  dockerfile?: WrittenFile
  findings: readonly Finding[]
}>

/** Returns the limits of a jail, except those that the container already has. */
function missingLimits({ memoryMb, cpu }: NamedContainerRule, limits: JailLimits): JailLimits {
  return {
    ...(memoryMb === undefined && limits.memoryMb !== undefined && { memoryMb: limits.memoryMb }),
    ...(cpu === undefined && limits.cpu !== undefined && { cpu: limits.cpu }),
  }
}

function convertContainer(tree: FileTree, file: string, container: NamedContainerRule, name: string): ConvertedContainer {
  const unchanged = { container, findings: [] }
  const { build, ports = [] } = container
  const context = build === undefined ? undefined : resolvePath(folderOf(file), build.context)
  if (build === undefined || context === undefined) return unchanged
  const path = joinPath(context, build.dockerfile ?? 'Dockerfile')
  const text = readDockerfile(tree, path)
  const conversion = text === undefined ? undefined : convertJail(text, createBuildFileReader(tree, context), ports[0]?.port)
  if (conversion === undefined) return unchanged
  const finding = (outcome: Finding['outcome'], why: string, advice?: string): Finding => ({
    file: path,
    line: conversion.line,
    field: 'FROM',
    outcome,
    why,
    ...(advice === undefined ? {} : { advice }),
  })
  if (conversion.kind === 'kept') {
    const advice = 'Change the image so that its program listens on a port without the jail.'
    return {
      container,
      findings: [finding('left-out', `The image needs ${conversion.jail}, which does not run here. ${conversion.why}`, advice)],
    }
  }
  const { jail, port, flagFile, limits, notes, dockerfile } = conversion
  const missing = missingLimits(container, limits)
  const [first, ...others] = ports
  return {
    container: {
      ...container,
      ...missing,
      build: { ...build, dockerfile: name },
      ...(first !== undefined && {
        ports: [{ port, speaks: first.speaks ?? 'tcp' }, ...others.filter((other) => other.port !== port)],
      }),
      ...(flagFile === undefined || container.flag !== undefined ? {} : { flag: { file: flagFile } }),
    },
    dockerfile: { path: joinPath(context, name), text: dockerfile },
    findings: [
      ...(first === undefined || first.port === port
        ? []
        : [finding('converted', `The program listens on port ${port} instead of ${first.port}.`)]),
      finding('converted', `The image is built without ${jail}, from \`${name}\`.`, 'Check this file and run the solver.'),
      ...(Object.keys(missing).length === 0 ? [] : [finding('converted', describeJailLimits(missing))]),
      ...notes.map((note) => finding('left-out', note)),
    ],
  }
}

/** Converts jailed images into images without the jail, and reports the changes. */
export function convertJailedBuild(tree: FileTree, file: string, challenge: ChallengeFile): ConvertedBuild {
  const dockerfiles: WrittenFile[] = []
  const findings: Finding[] = []
  const converted = mapContainers(challenge, (container, place) => {
    const name = place === 'container' ? convertedName : `${convertedName}-${container.name}`
    const result = convertContainer(tree, file, container, name)
    if (result.dockerfile !== undefined) dockerfiles.push(result.dockerfile)
    findings.push(...result.findings)
    return result.container
  })
  return { challenge: dockerfiles.length === 0 ? challenge : converted, dockerfiles, findings }
}
