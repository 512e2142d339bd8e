import type { ChallengeFile } from '../format/challenge.ts'
import type { ReadSibling } from '../jails/command.ts'
import { convertJail } from '../jails/convert.ts'
import type { Finding } from '../report.ts'
import { type FileTree, folderOf, hasFile, nameOf, readTextIfPossible, resolvePath } from '../tree.ts'

/** Name of the Dockerfile that replaces the original of a jailed image. It is written next to the original. */
const convertedName = 'Dockerfile.capstan'

const maxFileBytes = 256 * 1024

export type ConvertedBuild = Readonly<{
  challenge: ChallengeFile
  /** Additional file with its path in the tree. */
  dockerfile?: { readonly path: string; readonly text: string }
  findings: readonly Finding[]
}>

function depthOf(path: string): number {
  return path.split('/').length
}

/**
 * Creates a reader for files in the build folder of an image. It finds files by name, because only their path in the image is
 * known.
 */
export function readerOf(tree: FileTree, context: string): ReadSibling {
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

/** Converts a jailed image into an image without the jail, and reports the changes. */
export function convertBuild(tree: FileTree, file: string, challenge: ChallengeFile): ConvertedBuild {
  const unchanged = { challenge, findings: [] }
  const { container } = challenge
  const context = container?.build === undefined ? undefined : resolvePath(folderOf(file), container.build.context)
  if (container?.build === undefined || context === undefined) return unchanged
  const at = (path: string): string => (context === '' ? path : `${context}/${path}`)
  const path = at(container.build.dockerfile ?? 'Dockerfile')
  const text = readDockerfile(tree, path)
  const conversion = text === undefined ? undefined : convertJail(text, readerOf(tree, context))
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
      challenge,
      findings: [finding('left-out', `The image needs ${conversion.jail}, which does not run here. ${conversion.why}`, advice)],
    }
  }
  const { jail, port, flagFile, notes, dockerfile } = conversion
  const [, ...others] = container.ports
  return {
    challenge: {
      ...challenge,
      container: {
        ...container,
        build: { ...container.build, dockerfile: convertedName },
        ports: [{ port, speaks: container.ports[0]?.speaks ?? 'tcp' }, ...others.filter((other) => other.port !== port)],
        ...(flagFile === undefined || container.flag !== undefined ? {} : { flag: { file: flagFile } }),
      },
    },
    dockerfile: { path: at(convertedName), text: dockerfile },
    findings: [
      ...(container.ports[0]?.port === port
        ? []
        : [finding('converted', `The program listens on port ${port} instead of ${container.ports[0]?.port}.`)]),
      finding(
        'converted',
        `The image is built without ${jail}, from \`${convertedName}\`.`,
        'Check this file and run the solver.',
      ),
      ...notes.map((note) => finding('left-out', note)),
    ],
  }
}
